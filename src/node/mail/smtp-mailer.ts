import type MailComposer from 'nodemailer/lib/mail-composer';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Mail, Mailer, MailOutcome, MailServer, MailSession } from '#kernel/ports/mailer';
import { trustedContext } from '../system/trusted-authorities.ts';

/** Until a server has greeted, and how long it may say nothing later. */
const connectMs = 10_000;
const silentMs = 15_000;

/** Sends mails by SMTP. TLS trusts the authorities of Node.js, of `NODE_EXTRA_CA_CERTS` and of the system. */
export function createSmtpMailer(server: MailServer): Mailer {
  return {
    open: async (signal) => {
      const [{ default: Connection }, { default: Composer }] = await Promise.all([
        import('nodemailer/lib/smtp-connection'),
        import('nodemailer/lib/mail-composer'),
      ]);
      const connection = new Connection(connectionOptions(server));
      const call = callsOf(connection, signal);
      try {
        await call((done) => connection.connect(done));
        const { credentials } = server;
        if (credentials) {
          const { user, password: pass } = credentials;
          await call((done) => connection.login({ user, pass }, done));
        }
      } catch (error) {
        connection.close();
        throw unusable(server, error);
      }
      return sessionOn(connection, { server, Composer, call });
    },
  };
}

function connectionOptions({ host, port, security }: MailServer) {
  return {
    ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls', ignoreTLS: security === 'none' },
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: silentMs },
    ...(security === 'none' ? {} : { tls: { secureContext: trustedContext() } }),
  };
}

type Done = (error?: Error | null, result?: unknown) => void;
type Call = (start: (done: Done) => void) => Promise<void>;

/** The connection tells some failures by an event only, and an end from here to nobody. */
function callsOf(connection: SmtpConnection, signal: AbortSignal): Call {
  let fail: Done | undefined;
  connection.on('error', (error: Error) => fail?.(error));
  connection.on('end', () => fail?.(new Error('The connection has ended.')));
  signal.addEventListener('abort', () => connection.close(), { once: true });
  return (start) =>
    new Promise((resolve, reject) => {
      const done: Done = (error) => (error ? reject(error) : resolve());
      fail = done;
      if (signal.aborted) connection.close();
      start(done);
    });
}

interface SessionParts {
  readonly server: MailServer;
  readonly Composer: typeof MailComposer;
  readonly call: Call;
}

function sessionOn(connection: SmtpConnection, { server, Composer, call }: SessionParts): MailSession {
  return {
    send: async (mail) => {
      if (!isPlainAddress(mail.to)) return { state: 'refused', reason: 'not the address of one person' };
      const message = await new Composer(composed(server, mail)).compile().build();
      try {
        await call((done) => connection.send({ from: server.from, to: [mail.to] }, message, done));
        return { state: 'sent' };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    close: () => connection.close(),
  };
}

/** Nothing that a person can write becomes a header of its own: line breaks are blanks, and an address has no name. */
function composed({ from }: MailServer, { id, to, subject, text }: Mail) {
  return {
    from: { name: 'vendor-cloud', address: from },
    to: { name: '', address: to },
    subject: subject.replaceAll(/\s+/g, ' '),
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    text,
    // Out-of-office programs answer no such mail.
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}

/** One address, and nothing that a mail server would read as a second one. */
function isPlainAddress(address: string): boolean {
  return /^[^\s<>()[\]\\,;:"]+@[^\s<>()[\]\\,;:"]+$/.test(address);
}

/** Without an answer of the server, nobody knows whether it took the mail. Whoever runs the platform can change a sender that is refused. */
function outcomeOf(error: unknown): MailOutcome {
  const reason = codesOf(error);
  const answer = responseCodeOf(error);
  if (answer === undefined) return { state: 'unknown', reason };
  const isOfSender = error instanceof Error && 'command' in error && error.command === 'MAIL FROM';
  return { state: answer >= 500 && !isOfSender ? 'refused' : 'later', reason };
}

function responseCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** `EENVELOPE 550 5.1.1`: what a server says beside it may hold an address. */
function codesOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const cause = 'originalCode' in error && typeof error.originalCode === 'string' ? error.originalCode : '';
  const response = 'response' in error && typeof error.response === 'string' ? error.response : '';
  const [answer = ''] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response) ?? [];
  return [code, cause, answer].filter((part) => part !== '').join(' ') || 'the connection ended';
}

function unusable({ host, port }: MailServer, cause: unknown): CloudError {
  return cloudError(
    'MAIL_SERVER_UNUSABLE',
    `No mail can be sent through ${host}:${port} (${codesOf(cause)}).`,
    'Check the variables SERVICE_SMTP_… of the platform, and whether the server answers.',
    { safeDetails: { reason: codesOf(cause) } },
  );
}
