// A list of any length of which only what is seen is there: rows of one height, and empty room for the rest.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const SPARE_ROWS = 8;

export function VirtualList(props: {
  label: string;
  total: number;
  rowHeight: number;
  // Told which rows are seen, so that what is missing can be asked for.
  onSeen: (first: number, last: number) => void;
  renderRow: (index: number) => ComponentChildren;
}) {
  const { label, total, rowHeight, onSeen, renderRow } = props;
  const holder = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE_ROWS);
  const last = Math.min(total, Math.ceil((view.top + view.height) / rowHeight) + SPARE_ROWS);

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => onSeen(first, last), [first, last, onSeen]);

  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section ref={holder} class="virtual" aria-label={label} tabIndex={0}>
      <div class="virtual-all" style={{ height: `${total * rowHeight}px` }}>
        <ul class="virtual-rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows.map((index) => (
            <li key={index} style={{ height: `${rowHeight}px` }}>
              {renderRow(index)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
