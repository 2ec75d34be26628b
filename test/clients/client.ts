// What every bot library can do, under one name each, so that one scenario tries them all. An adapter holds the
// library's own calls and nothing else: what it does wrong here it would do wrong in a bot.

export interface Photo {
  readonly messageId: number;
  readonly fileId: string;
  readonly bytes: number;
}

export interface Client {
  send(chat: number, text: string): Promise<number>;
  reply(chat: number, text: string, to: number): Promise<number>;
  // The text the answer tells.
  edit(chat: number, message: number, text: string): Promise<string>;
  remove(chat: number, message: number): Promise<boolean>;
  sendPhoto(chat: number, bytes: Buffer): Promise<Photo>;
  sendAlbum(chat: number, photos: readonly Buffer[]): Promise<Photo[]>;
  // The content, from the address that the library's own helper, or its documentation, makes.
  download(fileId: string): Promise<string>;
  // Polls until the handler has answered one message with an echo, then stops.
  echoOnce(): Promise<void>;
  // null: not the library's own error.
  apiError(error: unknown): ApiError | null;
}

export interface ApiError {
  readonly code: number;
  readonly description: string;
}

export interface ClientOptions {
  readonly apiRoot: string;
  readonly token: string;
}

// Of a message as the Bot API tells it.
export function photoOf(message: {
  readonly message_id: number;
  readonly photo?: readonly { readonly file_id: string; readonly file_size?: number }[];
}): Photo {
  const { file_id: fileId, file_size: bytes = 0 } = message.photo![0]!;
  return { messageId: message.message_id, fileId, bytes };
}

export async function textAt(url: string): Promise<string> {
  const file = await fetch(url);
  if (!file.ok) throw new Error(`no file there: ${file.status}`);
  return file.text();
}

export function echoOf(text: string | undefined): string {
  return `you said ${text}`;
}
