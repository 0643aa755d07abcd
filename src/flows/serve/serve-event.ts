import type { CloudError } from '#kernel/errors/cloud-error';

/** What `serve` reports to the person or the script that started it. */
export type ServeEvent =
  /** The environment has no deployment yet. */
  | { readonly event: 'waiting' }
  | { readonly event: 'checking'; readonly deployment: number; readonly version: number }
  | {
      readonly event: 'serving';
      readonly deployment: number;
      readonly version: number;
      readonly url: string;
      readonly workers: number;
      readonly ms: number;
    }
  /** Another version of this package built the code that is served or checked. It runs with the one of this host. */
  | {
      readonly event: 'built-with-other-version';
      readonly deployment: number;
      readonly builtWith: string;
      readonly host: string;
    }
  /** The deployment before it keeps serving. */
  | { readonly event: 'refused'; readonly deployment: number; readonly error: CloudError }
  /** What served last is served on, or from the cache. */
  | { readonly event: 'platform-away'; readonly error: CloudError }
  | { readonly event: 'platform-back' }
  /** A worker was lost, and another one takes its place. */
  | { readonly event: 'worker-lost'; readonly error: CloudError }
  /** A request met an error of the code or of a database; its client was told no more than that. */
  | { readonly event: 'request-failed'; readonly error: CloudError }
  /** What the customization code printed. */
  | { readonly event: 'output'; readonly text: string }
  | { readonly event: 'stopped' };
