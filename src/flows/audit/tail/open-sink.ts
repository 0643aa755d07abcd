import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import type { TcpAddress } from '#kernel/ports/tcp';
import type { FlowContext } from '../../flow-context.ts';
import { openFileSink } from './file-sink.ts';
import { openHecSink } from './hec-sink.ts';
import type { LogSink, TailFormat } from './log-sink.ts';
import { openSyslogSink } from './syslog-sink.ts';

export interface SinkOptions {
  /** `file:<path>`, `hec:<url>`, `syslog:<host>:<port>` or `syslog+tls:<host>:<port>`. */
  readonly to: string;
  readonly format: TailFormat;
  /** Name of the log, such as `shop/development`. */
  readonly log: string;
  readonly kind: 'activity' | 'admin';
  /** Name of this machine. */
  readonly hostname: string;
}

/** The system that an address names. Throws `USAGE_INVALID` for one that names none. */
export async function openSink(context: FlowContext, options: SinkOptions): Promise<LogSink> {
  const { to, hostname } = options;
  const [, scheme = '', place = ''] = /^(file|hec|syslog|syslog\+tls):(.+)$/s.exec(to) ?? [];
  if (scheme === 'file') return openFileSink(context.fs, path.resolve(context.workingFolder, place));
  if (scheme === 'hec') {
    const token = context.variables['SERVICE_HEC_TOKEN'];
    return openHecSink(context.http, context.clock, { ...options, url: place, token, host: hostname });
  }
  const address = tcpAddress(place, scheme === 'syslog+tls');
  if (scheme.startsWith('syslog') && address) {
    return openSyslogSink(context.tcp, { ...address, hostname, pid: context.pid });
  }
  throw cloudError(
    'USAGE_INVALID',
    'The address after --to names no system that takes a log.',
    'Write stdout, file:<path>, hec:<url>, syslog:<host>:<port> or syslog+tls:<host>:<port>.',
  );
}

function tcpAddress(place: string, isTls: boolean): TcpAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(place) ?? [];
  const host = bracketed ?? plain;
  const number = Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number, isTls };
}
