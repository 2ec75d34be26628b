// The description as a document: as much of OpenAPI 3.1 as we say. Programs get it as JSON, people as a page.

import type { Tag } from '../route.ts';

export interface Description {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: Tag; readonly description: string }[];
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly Tag[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaContent>> };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly examples?: MediaContent['examples'];
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: Schema }>
  >;
  readonly content?: Readonly<Record<string, MediaContent>>;
}

export interface MediaContent {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export type Schema = Readonly<Record<string, unknown>>;
