// How the gateway stands, in a few words: the worst decides. Nothing is called well while messages do not go out; that
// the process works is said as what it is.

interface Weighed {
  readonly severity: string;
}

export function isCritical({ severity }: Weighed): boolean {
  return severity === 'critical';
}

// `health`: of the process; follows "the gateway".
export function verdictOf(health: string, incidents: readonly Weighed[]): string {
  const critical = incidents.filter(isCritical).length;
  const others = incidents.length - critical;
  const warnings = `${others} ${others === 1 ? 'warning' : 'warnings'}`;
  if (critical > 0) {
    const itself =
      health === 'ok' ? 'the process itself works' : 'the process runs, not all of its parts work';
    return `needs help, ${critical} critical${others > 0 ? ` and ${warnings}` : ''}; ${itself}`;
  }
  if (health !== 'ok') return `is ${health}`;
  return others === 0 ? 'is well' : `works, with ${warnings}`;
}
