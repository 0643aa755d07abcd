import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MailServer } from '#kernel/ports/mailer';
import { createSmtpMailer } from '#node/mail/smtp-mailer';
import { startApprovalShop } from '../helpers/approval-shop.ts';
import { eventually } from '../helpers/eventually.ts';
import { startMailServer, type TestMailServer } from '../helpers/mail-server.ts';
import { createCertificateAuthority, describeWithCertificates } from '../helpers/server-certificates.ts';

const toPlain = ({ port }: Pick<TestMailServer, 'port'>): MailServer => ({
  ...{ host: '127.0.0.1', port, security: 'none', credentials: undefined, from: 'cloud@example.test' },
});
const headerOf = (headers: readonly string[], name: string) =>
  headers.filter((line) => line.toLowerCase().startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
const receiversOf = ({ mails }: TestMailServer) => mails.flatMap(({ to }) => to).sort();
const count = (server: TestMailServer, mails: number) =>
  eventually(async () => expect(receiversOf(server)).toHaveLength(mails));

describe('a platform with a mail server', () => {
  it('writes to who may grant a request, then to who asked, and says no value and no comment', {
    tags: 'long',
  }, async () => {
    const server = await startMailServer();
    const shop = await startApprovalShop({ mailServer: toPlain(server) });
    const bob = await shop.join('Bob', 'Support');
    const cara = await shop.join('Cara', 'Managers');
    const lea = await shop.join('Lea', 'Leads');
    const silent = await shop.join('Sue', 'Managers');
    const off = await fetch(`${shop.shop.sandbox.url}/api/me/preferences`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${silent.userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ preferences: { approvalMails: false } }),
    });
    expect(off.status).toBe(200);
    const id = await shop.ask(bob, ['2', '3'], { comment: 'They wait since Monday.' });
    expect(await shop.ask(bob, ['2', '3'])).toBe(id);
    await count(server, 2);
    expect(receiversOf(server)).toEqual(['cara@example.test', 'lea@example.test']);
    const [first] = server.mails;
    expect(headerOf(first?.headers ?? [], 'subject')).toEqual([`Request ${id} waits for an approval: Ship of orders`]);
    expect(headerOf(first?.headers ?? [], 'from')).toEqual(['"vendor-cloud" <cloud@example.test>']);
    const page = `${shop.shop.sandbox.url}/console/development/approvals/${id}`;
    expect(first?.body).toContain(`Bob asks for an approval.`);
    expect(first?.body).toContain(`Request ${id}: the action "Ship" of "orders", 2 records`);
    expect(first?.body).toContain(page);

    await shop.atPlatform(bob, 'POST', `/${id}/comments`, { comment: 'Please.' });
    await shop.atPlatform(cara, 'POST', `/${id}/comments`, { comment: 'By which carrier?' });
    await count(server, 3);
    expect((await shop.grant(cara, id, { comment: 'Go.' })).status).toBe(200);
    await count(server, 4);
    // Cara approves drafts only, and this order was paid.
    const other = await shop.ask(bob, ['4']);
    await count(server, 5);
    await shop.atPlatform(lea, 'POST', `/${other}/refuse`, { comment: 'Not this one.' });
    await count(server, 6);
    // Lea may grant her own.
    await shop.ask(lea, ['3']);
    await count(server, 8);
    expect(
      server.mails
        .slice(-2)
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(['cara@example.test', 'lea@example.test']);
    const toCara = server.mails.filter(({ to }) => to.includes('cara@example.test'));
    expect(toCara.map(({ body }) => body.split('\r\n')[0])).toEqual([
      'Bob asks for an approval.',
      'Lea asks for an approval.',
    ]);
    const toBob = server.mails.filter(({ to }) => to.includes('bob@example.test'));
    expect(toBob.map(({ body }) => body.split('\r\n')[0])).toEqual([
      'Cara has written a comment on your request.',
      'Cara has granted your request.',
      'Lea has refused your request.',
    ]);
    const all = server.mails.map(({ raw, body }) => raw + body).join('\n');
    for (const secret of ['Sea', 'Carrier', 'A-2', 'Monday', 'Please', 'carrier?', 'Go.', 'Not this one'])
      expect(all).not.toContain(secret);
  });

  it('gives up an address that is refused, and names its domain only', async () => {
    const server = await startMailServer({
      refuse: (to) => (to.startsWith('cara') ? { code: 550, text: `5.1.1 ${to} is unknown` } : undefined),
    });
    const logged: string[] = [];
    const logger = { log: (...line: unknown[]) => void logged.push(JSON.stringify(line)) };
    const shop = await startApprovalShop({ mailServer: toPlain(server), logger });
    const bob = await shop.join('Bob', 'Support');
    await shop.join('Cara', 'Managers');
    await shop.join('Lea', 'Leads');
    await shop.ask(bob, ['2']);
    const told = await eventually(async () => {
      const lines = logged.filter((line) => line.includes('was given up'));
      expect(lines).toHaveLength(1);
      return lines.join('');
    });
    expect(told).toContain('"domain":"example.test","reason":"EENVELOPE 550 5.1.1"');
    expect(told).not.toContain('cara@');
    await count(server, 1);
    expect(receiversOf(server)).toEqual(['lea@example.test']);
  });

  it('answers while the mail server is away, and warns of it at its start', async () => {
    const server = await startMailServer();
    await server.stop();
    const logged: string[] = [];
    const logger = { log: (...line: unknown[]) => void logged.push(JSON.stringify(line)) };
    const shop = await startApprovalShop({ mailServer: toPlain(server), logger });
    await eventually(async () => expect(logged.join('')).toContain('No mail can be sent through'));
    expect(logged.join('')).toContain('ECONNREFUSED');
    const bob = await shop.join('Bob', 'Support');
    const cara = await shop.join('Cara', 'Managers');
    const id = await shop.ask(bob, ['2']);
    expect((await shop.grant(cara, id)).status).toBe(200);
  });
});

describe('a mail', () => {
  const { signal } = new AbortController();
  const mail = { id: 'approval-1.mail-1', to: 'cara@example.test', subject: 'A subject', text: 'Some text.' };
  const send = async (server: MailServer, change: Partial<typeof mail> = {}) => {
    const session = await createSmtpMailer(server).open(signal);
    try {
      return await session.send({ ...mail, ...change });
    } finally {
      session.close();
    }
  };

  it('has no header and no receiver that is in a name or an address', async () => {
    const server = await startMailServer();
    const subject = 'A subject\r\nBcc: else@example.test\nX-Other: value\u2028';
    expect(await send(toPlain(server), { subject, text: 'Some\r\n.\r\nMAIL FROM:<else@example.test>' })).toEqual({
      state: 'sent',
    });
    const [received] = server.mails;
    expect(received?.to).toEqual(['cara@example.test']);
    expect(headerOf(received?.headers ?? [], 'bcc')).toEqual([]);
    expect(headerOf(received?.headers ?? [], 'x-other')).toEqual([]);
    expect(server.mails).toHaveLength(1);
    for (const to of ['a@example.test, b@example.test', 'a@example.test\r\nRCPT TO:<b@example.test>', 'Ann <a@b.test>'])
      expect(await send(toPlain(server), { to })).toMatchObject({ state: 'refused' });
    expect(server.mails).toHaveLength(1);
  });

  it('is sent later, never again, or perhaps, as the server answers', async () => {
    const codes = new Map([
      ['later@example.test', 451],
      ['never@example.test', 550],
    ]);
    let isSilent = false;
    const server = await startMailServer({
      refuse: (to) => (codes.has(to) ? { code: codes.get(to) ?? 0, text: 'No' } : undefined),
      goesSilent: () => isSilent,
    });
    expect(await send(toPlain(server), { to: 'later@example.test' })).toEqual({
      ...{ state: 'later', reason: 'EENVELOPE 451' },
    });
    expect(await send(toPlain(server), { to: 'never@example.test' })).toMatchObject({ state: 'refused' });
    isSilent = true;
    expect(await send(toPlain(server))).toMatchObject({ state: 'unknown' });
  });

  it('is not waited for when the platform ends', async () => {
    const server = await startMailServer({ onRcptTo: () => undefined });
    const ending = new AbortController();
    const session = await createSmtpMailer(toPlain(server)).open(ending.signal);
    const sent = session.send(mail);
    ending.abort();
    expect(await sent).toMatchObject({ state: 'unknown' });
    await expect(createSmtpMailer(toPlain(server)).open(ending.signal)).rejects.toMatchObject({
      code: 'MAIL_SERVER_UNUSABLE',
    });
  });

  describeWithCertificates('over TLS', () => {
    const startSecure = async (options: { readonly secure?: boolean } = {}) => {
      const authority = await createCertificateAuthority();
      onTestFinished(() => authority.remove());
      const { certificatePath, keyPath } = await authority.issue(['DNS:localhost', 'IP:127.0.0.1']);
      const [cert, key] = await Promise.all([readFile(certificatePath, 'utf8'), readFile(keyPath, 'utf8')]);
      const server = await startMailServer({
        ...{ cert, key, authOptional: false, ...options },
        onAuth: ({ username, password }, _session, done) =>
          password === 'a secret' ? done(null, { user: username }) : done(new Error('Wrong password "a secret"')),
      });
      return { server, authority };
    };
    const trust = ({ certificate }: { readonly certificate: string }) => {
      const trusted = tls.getCACertificates('default');
      tls.setDefaultCACertificates([...trusted, certificate]);
      onTestFinished(() => tls.setDefaultCACertificates(trusted));
    };
    const credentials = { user: 'cloud', password: 'a secret' };

    it.each([
      { security: 'starttls', secure: false },
      { security: 'tls', secure: true },
    ] as const)('is encrypted, its password too: $security', async ({ security, secure }) => {
      const { server, authority } = await startSecure({ secure });
      const settings: MailServer = { ...toPlain(server), host: 'localhost', security, credentials };
      await expect(send(settings)).rejects.toMatchObject({ code: 'MAIL_SERVER_UNUSABLE' });
      trust(authority);
      expect(await send(settings)).toEqual({ state: 'sent' });
      expect(server.mails).toMatchObject([{ isEncrypted: true, user: 'cloud' }]);
      const wrong = send({ ...settings, credentials: { ...credentials, password: 'wrong' } });
      await expect(wrong).rejects.toThrow(/EAUTH 535\)/);
      await expect(wrong).rejects.not.toThrow('secret');
    });

    it('is not sent by a server without encryption', async () => {
      const server = await startMailServer();
      const settings: MailServer = { ...toPlain(server), security: 'starttls' };
      await expect(send(settings)).rejects.toThrow('No mail can be sent');
      expect(server.mails).toEqual([]);
    });
  });
});
