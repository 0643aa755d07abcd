import type { ObservedRequest } from '#sandbox/index';
import type { ServeEvent } from '../serve/serve-event.ts';

/** What a person or a script that started a platform is told. */
export type PlatformServerEvent =
  /** `publicUrl` is what people and agents call it by. `store` is without its password. */
  | { readonly event: 'listening'; readonly url: string; readonly publicUrl: string; readonly store: string }
  /** Nobody is there yet: the link makes the first administrator, once. */
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
  /** What the host of an environment says that runs in the same process. */
  | { readonly event: 'host'; readonly host: ServeEvent }
  | { readonly event: 'stopping' }
  | { readonly event: 'stopped' };
