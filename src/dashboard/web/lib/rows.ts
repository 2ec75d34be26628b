// A row leads where its own link does, wherever it is clicked; what else can be clicked in it, and text that is being
// marked, is left alone.

const ROWS = 'tbody tr, .chat-row, .lines li, .card';
const OWN = 'a, button, input, select, textarea, label, summary';

// Answers how to stop listening.
export function followRows(): () => void {
  const onClick = (event: MouseEvent) => {
    const { target } = event;
    if (!(target instanceof Element) || target.closest(OWN) !== null) return;
    if (!(getSelection()?.isCollapsed ?? true)) return;
    target.closest(ROWS)?.querySelector<HTMLElement>('[data-row]')?.click();
  };
  addEventListener('click', onClick);
  return () => removeEventListener('click', onClick);
}
