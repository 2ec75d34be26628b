// The words of live output that rooms share: how a growing text is written, how it is shown, and who decides when.

// `markdown` is what language models write; the others are the platform's own markups, named as it names them.
export const FORMATS = ['plain', 'markdown', 'html', 'markdownv2'] as const;
export type Format = (typeof FORMATS)[number];

// How a growing text is shown: a draft that vanishes when the message comes, one message that is edited, or a few
// messages of finished paragraphs.
export const TRANSPORTS = ['draft', 'edit', 'chunks'] as const;
export type Transport = (typeof TRANSPORTS)[number];

// Who decides when it is shown. `strict`: a budget shared by the sessions of a chat, in turns. `coalesce_only`: the
// newest text, in turns, as soon as the limits allow. `chunks`: the same as strict, in few messages. `off`: each
// stream for itself.
export const STRATEGIES = ['strict', 'coalesce_only', 'chunks', 'off'] as const;
export type Strategy = (typeof STRATEGIES)[number];
