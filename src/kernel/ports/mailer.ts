/** How the connection to a mail server is encrypted: not at all, by STARTTLS, or from its first byte. */
export type MailSecurity = 'none' | 'starttls' | 'tls';

/** The mail server that takes what this program sends. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly security: MailSecurity;
  /** What it asks for; `undefined` for a server that asks for nothing. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** The address that mails come from. */
  readonly from: string;
}

/** A mail to one person, in plain text. */
export interface Mail {
  /** The same for the same mail, whenever it is sent. */
  readonly id: string;
  readonly to: string;
  /** A line break in it counts as a blank. */
  readonly subject: string;
  readonly text: string;
}

/**
 * What the mail server made of a mail: it took it, it never will, or it may take it later. `unknown`: the connection ended before its answer.
 * `reason` is made of codes, because the words of a server may hold an address or a secret.
 */
export type MailOutcome =
  | { readonly state: 'sent' }
  | { readonly state: 'refused' | 'later' | 'unknown'; readonly reason: string };

/** A connection to the mail server. After `unknown` it takes nothing more. */
export interface MailSession {
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

export interface Mailer {
  /**
   * Connect and sign in. Rejects with `MAIL_SERVER_UNUSABLE`.
   *
   * @param signal ends the connection, and what waits for it.
   */
  open(signal: AbortSignal): Promise<MailSession>;
}
