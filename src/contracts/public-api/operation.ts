import type * as z from 'zod';
import type { ApiScope } from '../api-tokens.ts';

/** One thing that the public API does, as its OpenAPI document describes it. */
export interface PublicOperation {
  /** Unique; generators name functions by it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch';
  /** `{name}` stands for a parameter of the path. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  /** What a token must have. `undefined`: every token will do. */
  readonly scope: ApiScope | undefined;
  /** A parameter that is not in it is refused with 400. Default: there is none. */
  readonly query?: z.ZodObject;
  /** Headers that it takes, with whether it insists on them. */
  readonly headers?: Readonly<Record<string, { readonly isRequired: boolean; readonly description: string }>>;
  readonly body?: z.ZodType;
  /** Default 200. */
  readonly status?: 201;
  /** `export`: a stream in the format that the request names. */
  readonly answer: z.ZodType | 'export';
  /** The answer has an `ETag`. */
  readonly isTagged?: boolean;
}
