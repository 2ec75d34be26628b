// What no event tells is looked at again and again, with a pause: a gateway that is asked without one has no processor
// left for what is waited for.

const LOOK_MS = 25;

export const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));

export async function until<T>(
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean,
  { msMax = Number.POSITIVE_INFINITY }: { readonly msMax?: number } = {},
): Promise<T> {
  const deadline = performance.now() + msMax;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > deadline) {
      throw new Error(`still ${JSON.stringify(seen).slice(0, 500)}`);
    }
    await aMoment();
  }
}
