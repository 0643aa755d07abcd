import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Tcp, TcpAddress, TcpConnection } from '#kernel/ports/tcp';
import type { FlowContext } from '../../flow-context.ts';
import { openHecSink } from './hec-sink.ts';
import type { LogLine, LogSink, TailFormat } from './log-sink.ts';

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

/** A file that rows are added to. JSON lines of the platform are kept whole, so that `audit verify --file` verifies them. */
async function openFileSink(fs: FileSystem, file: string): Promise<LogSink> {
  await removeTornLine(fs, file);
  return { write: ({ text }) => fs.append(file, text, { mode: 0o600, isDurable: true }) };
}

/** What a killed run has left behind the last whole line was never confirmed, and comes again. */
async function removeTornLine(fs: FileSystem, file: string): Promise<void> {
  if (!(await fs.exists(file))) return;
  let bytes = 0;
  let last = '';
  for await (const lines of fs.readLines(file)) {
    last = lines.at(-1) ?? last;
    for (const line of lines) bytes += Buffer.byteLength(line);
  }
  if (last !== '' && !last.endsWith('\n')) await fs.truncate(file, bytes - Buffer.byteLength(last));
}

interface SyslogOptions extends TcpAddress {
  /** Name of this machine. */
  readonly hostname: string;
  readonly pid: number;
}

/** Facility "log audit" (13), severity "informational" (6). */
const priority = 13 * 8 + 6;

/**
 * A syslog server over TCP or TLS: messages of RFC 5424, each with its length before it (RFC 6587). Syslog confirms nothing: a batch
 * counts as delivered when the system has taken it.
 */
function openSyslogSink(tcp: Tcp, options: SyslogOptions): LogSink {
  let connection: TcpConnection | undefined;
  return {
    async write({ lines }) {
      connection ??= await tcp.connect(options);
      try {
        await connection.send(Buffer.concat(lines.map((line) => frame(message(line, options)))));
      } catch (error) {
        connection = undefined;
        throw error;
      }
    },
    close: async () => connection?.close(),
  };
}

function frame(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text)} ${text}`);
}

function message({ text, timeMs }: LogLine, { hostname, pid }: SyslogOptions): string {
  const host = hostname.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 255) || '-';
  return `<${priority}>1 ${new Date(timeMs).toISOString()} ${host} vendor-cloud ${pid} audit - ${text}`;
}
