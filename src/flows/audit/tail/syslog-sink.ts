import type { Tcp, TcpAddress, TcpConnection } from '#kernel/ports/tcp';
import type { LogLine, LogSink } from './log-sink.ts';

export interface SyslogOptions extends TcpAddress {
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
export function openSyslogSink(tcp: Tcp, options: SyslogOptions): LogSink {
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
