// A long-running command ends by SIGINT or SIGTERM. The first asks it to stop; a second one does not wait.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const EXIT_IMPATIENT = 130;

export function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isAsked) process.exit(EXIT_IMPATIENT);
        isAsked = true;
        resolve(signal);
      });
    }
  });
}
