import type { ObservedRequest } from '#platform/index';
import type { ServeEvent } from '../serve/serve-event.ts';

/** The events of a platform, for the person or the script that started it. */
export type PlatformServerEvent =
  /** `publicUrl` is the address that people and agents use. `store` is without its password. */
  | { readonly event: 'listening'; readonly url: string; readonly publicUrl: string; readonly store: string }
  /** There are no people yet. The link makes the first administrator, once. */
  | { readonly event: 'setup'; readonly url: string; readonly expiresAt: string }
  /** One line of the access log. */
  | ({ readonly event: 'request'; readonly at: string } & ObservedRequest)
  /** Something went wrong inside. */
  | {
      readonly event: 'log';
      readonly at: string;
      readonly level: 'Warn' | 'Error';
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** An event of the environment host that runs in the same process. */
  | { readonly event: 'host'; readonly host: ServeEvent }
  | { readonly event: 'stopping' }
  | { readonly event: 'stopped' };
