// What a request body that is a stream says, whatever its form: the words between a decoder and whoever feeds a
// stream with it.

export type FeedEvent =
  // More of the text.
  | { kind: 'text'; text: string }
  // All of the text so far, anew.
  | { kind: 'replace'; text: string }
  | { kind: 'done' }
  // The producer failed, or its words cannot be read on; what came before stands.
  // `isUnknown`: nothing in it has a shape that is known here.
  | { kind: 'error'; detail: string; isUnknown?: true };

// Bytes in, events out, in whichever pieces the bytes come. After `done` or `error` there is nothing more, and one of
// the two always comes, at the latest with `end`. Nothing that can be in a body makes it throw.
export interface Feed {
  push(chunk: Uint8Array): FeedEvent[];
  // The body is over.
  end(): FeedEvent[];
  // How many of its lines or events could not be read and were left out.
  readonly broken: number;
}

export interface FeedBounds {
  // Of one line. The longest that providers send is the whole answer again, with the request's tools, at its end.
  readonly lineUnitsMax: number;
  // Of the data of one server-sent event.
  readonly eventUnitsMax: number;
}

export const FEED_BOUNDS: FeedBounds = {
  lineUnitsMax: 4 * 1024 * 1024,
  eventUnitsMax: 4 * 1024 * 1024,
};
