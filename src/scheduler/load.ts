// How much of the bounded queue is taken: what waits, is in flight or is being written down. Counted for each account,
// for all accounts of a platform and for all there are; of the last two also what accounts that nobody has configured
// hold, because those may have only a part of it.

export interface Load {
  deliveries: number;
  // Of their payloads, as they are on disk.
  bytes: number;
}

export interface SharedLoad extends Load {
  readonly strangers: Load;
}

export class AccountLoad implements Load {
  readonly platform: SharedLoad;
  readonly all: SharedLoad;
  readonly isStranger: boolean;
  deliveries = 0;
  bytes = 0;

  constructor(platform: SharedLoad, all: SharedLoad, isStranger: boolean) {
    this.platform = platform;
    this.all = all;
    this.isStranger = isStranger;
  }

  enter(bytes: number): void {
    this.#add(1, bytes);
  }

  leave(bytes: number): void {
    this.#add(-1, -bytes);
  }

  #add(deliveries: number, bytes: number): void {
    add(this, deliveries, bytes);
    add(this.platform, deliveries, bytes);
    add(this.all, deliveries, bytes);
    if (!this.isStranger) return;
    add(this.platform.strangers, deliveries, bytes);
    add(this.all.strangers, deliveries, bytes);
  }
}

export function noLoad(): SharedLoad {
  return { deliveries: 0, bytes: 0, strangers: { deliveries: 0, bytes: 0 } };
}

function add(load: Load, deliveries: number, bytes: number): void {
  load.deliveries += deliveries;
  load.bytes += bytes;
}
