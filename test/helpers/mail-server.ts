import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as they came. */
  readonly raw: string;
  readonly headers: readonly string[];
  /** With its encoding undone. */
  readonly body: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

export interface TestMailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** How often somebody connected. */
  readonly connections: number;
  stop(): Promise<void>;
}

export interface TestMailServerOptions extends Omit<SMTPServerOptions, 'onData' | 'onConnect'> {
  readonly port?: number;
  /** Answer a mail with this code instead of taking it. */
  readonly refuse?: (to: string) => { readonly code: number; readonly text: string } | undefined;
  /** Take a mail, and end the connection instead of saying so. */
  readonly goesSilent?: () => boolean;
}

/** A mail server on this machine that keeps what it gets, and stops when the test ends. */
export async function startMailServer({
  port: wanted = 0,
  refuse = () => undefined,
  goesSilent = () => false,
  ...options
}: TestMailServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    // A certificate of the package itself would be offered else.
    ...(options.key === undefined ? { disabledCommands: ['STARTTLS'] } : {}),
    ...options,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onRcptTo: ({ address }, _session, done) => {
      const answer = refuse(address);
      done(answer && Object.assign(new Error(answer.text), { responseCode: answer.code }));
    },
    onData: (stream, session, done) => {
      const keep = (raw: string) => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          ...{ raw, ...partsOf(raw), to: rcptTo.map(({ address }) => address), isEncrypted: session.secure },
          ...{ from: mailFrom ? mailFrom.address : '', user: session.user as string | undefined },
        });
        if (goesSilent()) for (const connection of server.connections) connection.close();
        else done();
      };
      // A client that leaves in the middle has sent nothing.
      text(stream).then(keep, () => undefined);
    },
  });
  // A client that does not trust the certificate ends the connection.
  server.on('error', () => undefined);
  const listening = server.listen(wanted, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= new Promise((resolve) => server.close(resolve));
    return stopping;
  };
  onTestFinished(stop);
  return {
    ...{ port, mails, stop },
    get connections() {
      return connections;
    },
  };
}

function partsOf(raw: string): Pick<ReceivedMail, 'headers' | 'body'> {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const encoding = headers.find((line) => /^content-transfer-encoding:/i.test(line))?.split(': ')[1];
  const coded = raw.slice(end + 4);
  if (encoding === 'base64') return { headers, body: Buffer.from(coded, 'base64').toString() };
  if (encoding !== 'quoted-printable') return { headers, body: coded };
  const bytes = coded
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return { headers, body: Buffer.from(bytes, 'latin1').toString() };
}
