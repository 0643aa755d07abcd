import type { CloudError } from '#kernel/errors/cloud-error';

/** What a person or a script that started `dev` is told. */
export type DevEvent =
  | {
      readonly event: 'ready';
      readonly project: { readonly path: string };
      /** With the prefix. */
      readonly agent: { readonly url: string };
      readonly sandbox: { readonly url: string };
      readonly mcp: { readonly url: string; readonly token: string };
      /** For the agent, valid for an hour. */
      readonly token: string;
      /** Collections to try. */
      readonly collections: readonly string[];
    }
  | { readonly event: 'reloaded'; readonly ms: number }
  | { readonly event: 'error'; readonly error: CloudError }
  /** A request met an error of the code or of a database; its client was told no more than that. */
  | { readonly event: 'request-failed'; readonly error: CloudError }
  /** The worker was replaced; the last good code serves. */
  | { readonly event: 'restarted' }
  /** Something of the databases is left out. */
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'typings'; readonly path: string }
  /** What the customization code printed. */
  | { readonly event: 'output'; readonly text: string }
  | { readonly event: 'stopped' };
