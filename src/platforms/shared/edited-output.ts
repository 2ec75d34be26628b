// Live output as one message that is edited while the text grows, and further ones for what does not fit: the same on
// every platform whose messages can be edited, but for the names of its calls and parameters.

import { priorityOf } from '../../domain/priority.ts';
import type { LiveOutput, LivePlace } from '../live-output.ts';
import type { Calls } from '../platform.ts';

type Params = Readonly<Record<string, unknown>>;

// The message that a change is about never came to be.
const LOST = 'reference_lost';

export interface EditedOutput
  extends Pick<LiveOutput, 'strategy' | 'render'>,
    Partial<Pick<LiveOutput, 'typing'>>,
    Pick<Calls, 'address'> {
  readonly methods: { readonly open: string; readonly edit: string; readonly remove: string };
  // The parameter that names the message.
  readonly idName: string;
  // An id as that parameter takes it; left out: as text.
  idOf?(message: string): string | number;
  // Of what the caller gave beside the text: what stands in the first message alone (whom it answers), in the last
  // alone (buttons), in edits as well, and what is ours to say.
  readonly onFirst?: readonly string[];
  readonly onLast?: readonly string[];
  readonly inEdits?: readonly string[];
  readonly ours?: readonly string[];
  // A minute; null: as many as the limits allow.
  readonly editsMpm: number | null;
  readonly messagesMpm: number | null;
  // Reasons of which a change dies because the message is gone or not ours.
  readonly gone: readonly string[];
}

export function editedOutput(own: EditedOutput): LiveOutput {
  const { methods, address, idName, onFirst = [], onLast = [], inEdits = [], ours = [] } = own;
  const idOf = own.idOf ?? String;
  const call = (method: string, params: Params, place: LivePlace) => {
    return { method, params: address(params, place) };
  };
  return {
    methods: { open: methods.open, edit: methods.edit },
    strategy: own.strategy,
    transportOf: () => 'edit',
    rates: () => ({ budgetMpm: () => own.editsMpm, messageMpm: () => own.messagesMpm }),
    priorityOf,
    render: own.render,
    open(content, place) {
      const unsaid = [...ours, ...(place.isFirst ? [] : onFirst), ...(place.isLast ? [] : onLast)];
      const given = kept(place.params, (name) => !unsaid.includes(name));
      return call(methods.open, { ...given, ...content }, place);
    },
    edit(content, place, id) {
      const said = place.isLast ? [...inEdits, ...onLast] : inEdits;
      const given = kept(place.params, (name) => said.includes(name));
      return call(methods.edit, { ...given, ...content, [idName]: idOf(id) }, place);
    },
    remove: (place, id) => call(methods.remove, { [idName]: idOf(id) }, place),
    ...(own.typing === undefined ? null : { typing: own.typing }),
    isGone: (reason) => reason === LOST || own.gone.includes(reason),
    lacksDrafts: () => true,
  };
}

function kept(params: Params, isKept: (name: string) => boolean): Params {
  return Object.fromEntries(Object.entries(params).filter(([name]) => isKept(name)));
}
