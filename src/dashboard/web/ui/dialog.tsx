// Questions before something that cannot be taken back, and other things that need all attention. The browser's own
// dialog keeps the focus inside and closes on Escape; Back closes it, too.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { closeOnBack } from '../lib/back.ts';
import { Store, useStore } from '../lib/store.ts';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly isDangerous: boolean;
  readonly answer: (yes: boolean) => void;
}

const question = new Store<Question | null>(null);

export function confirm(asked: Omit<Question, 'answer'>): Promise<boolean> {
  // Whoever asks twice is asked once.
  question.value?.answer(false);
  return new Promise((resolve) => {
    question.set({
      ...asked,
      answer(yes) {
        question.set(null);
        resolve(yes);
      },
    });
  });
}

export function Questions() {
  const asked = useStore(question);
  // A session that ends answers no to what it was asked; whoever comes in next was not.
  useEffect(() => () => question.value?.answer(false), []);
  if (asked === null) return null;
  const { title, text, yes, isDangerous, answer } = asked;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          onClick={() => answer(true)}
        >
          {yes}
        </button>
      </div>
    </Dialog>
  );
}

export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const { title, onClose, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  // Before it is painted: a key that is pressed at once is meant for it, not for what lies below.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    const closed = closeOnBack(() => close.current());
    return () => {
      closed();
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
