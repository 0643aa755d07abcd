import type * as z from 'zod';

/** What a caller proves who it is with. */
type Credential =
  /** `Authorization: Bearer <user token>`. */
  | 'userToken'
  /** Header `service-secret-key`. */
  | 'envSecret'
  /** `Authorization: Bearer <token of SCIM>`: bodies are `application/scim+json`, and errors those of SCIM. */
  | 'scimToken'
  | 'none';

/** What an answer holds: JSON of a schema, bytes, a stream of events, or nothing. */
export type AnswerContent = z.ZodType | 'bytes' | 'events' | 'nothing';

/** One thing that the platform does for its callers, as the OpenAPI document describes it. */
export interface Operation {
  /** Unique; generators name functions by it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `{name}` stands for a parameter of the path. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly credential: Credential;
  /** Which platforms have it. Default: all. */
  readonly isOnlyOf?: 'a team' | 'one developer';
  readonly params?: z.ZodObject;
  /** A parameter that is not in it is refused with 400. Default: there is none. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | 'bytes';
  /** The answers that are not errors, by status. Every error is an `Errors`, or a `ScimError`. */
  readonly answers: Readonly<Record<number, AnswerContent>>;
}
