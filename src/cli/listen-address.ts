import { cloudError } from '#kernel/errors/cloud-error';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3351`, `[::1]:3351` or `:3351` for loopback. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:[\]]*):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw cloudError(
      'USAGE_INVALID',
      `"${text}" is no address to listen on.`,
      'Write it like 127.0.0.1:3310 or [::1]:3310.',
    );
  }
  return { host: host === '' ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
