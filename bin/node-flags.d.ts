// The types of node-flags.js.

export declare const NODE_FLAGS: readonly string[];
export declare function ensureNodeFlags(script: string, args: readonly string[]): void;
