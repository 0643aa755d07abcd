import type { CloudError } from '#kernel/errors/cloud-error';
import type { TypeProblem } from '#project/index';
import type { AgentLogLine } from '../agent-worker/worker-protocol.ts';
import type { AppliedFile } from '../local-platform/permission-controller.ts';
import type { TableChange } from '../project-agent/table-changes.ts';

/** What `dev` reports to the person or the script that started it. */
export type DevEvent =
  | {
      readonly event: 'ready';
      readonly project: { readonly path: string };
      /** With the prefix. */
      readonly agent: { readonly url: string };
      /** The platform: a local one, or the one that was named. */
      readonly sandbox: { readonly url: string; readonly isLocal: boolean };
      /** The application in the browser, which the platform serves. */
      readonly console: { readonly url: string };
      readonly mcp: { readonly url: string; readonly token: string };
      /** For the agent, valid for an hour. */
      readonly token: string;
      /** The person that it serves under the rights of `permissions.json`; `null` where everything is allowed. */
      readonly as: {
        readonly email: string;
        readonly role: string;
        readonly roles: readonly string[];
        readonly team: string;
      } | null;
      /** Collections to try. */
      readonly collections: readonly string[];
    }
  | { readonly event: 'reloaded'; readonly ms: number }
  | {
      readonly event: 'error';
      readonly error: CloudError;
      /**
       * What requests are answered with once a session is ready: `last-good`, by the last code that loaded; `part`, by whatever of it fits
       * to the tables; `nothing`, with 503. Absent where the error has nothing to do with it.
       */
      readonly serves?: 'last-good' | 'part' | 'nothing';
    }
  /** A request met an error of the code or of a database; its client was told no more than that. */
  | { readonly event: 'request-failed'; readonly error: CloudError }
  /** The tables of a database are others than before, and are served. */
  | { readonly event: 'tables-changed'; readonly changes: readonly TableChange[] }
  /** The worker was replaced; the last good code serves. */
  | { readonly event: 'restarted' }
  /** Something of the databases is left out. */
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'typings'; readonly path: string }
  /** The types of the project were checked and other errors found than before; none where everything is right again. */
  | { readonly event: 'types'; readonly errors: readonly TypeProblem[] }
  /** The local platform has the rights of `permissions.json`. */
  | ({ readonly event: 'permissions' } & AppliedFile)
  /** A line of the agent's log, where such lines were asked for. */
  | ({ readonly event: 'log' } & AgentLogLine)
  /** What the customization code printed. */
  | { readonly event: 'output'; readonly text: string }
  | { readonly event: 'stopped' };
