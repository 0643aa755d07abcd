import { execFile, spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';

const run = promisify(execFile);
const program = ['openssl'].find((candidate) => spawnSync(candidate, ['version']).status === 0);

/** A suite for which certificates can be made; otherwise it is skipped, and its name says so. */
export function describeWithCertificates(name: string, suite: () => void): void {
  const reason = program ? '' : ' (skipped: openssl is not installed; on Debian, apt-get install openssl)';
  describe.skipIf(program === undefined)(`${name}${reason}`, suite);
}

/** The certificate of a server and its key. */
export interface ServerCertificate {
  readonly certificatePath: string;
  /** Readable by its owner only, which is what servers insist on. */
  readonly keyPath: string;
}

/** An authority of its own for a test file, in a temporary folder. */
export interface CertificateAuthority {
  /** PEM of the authority's own certificate. */
  readonly certificate: string;
  readonly certificatePath: string;
  /**
   * A certificate for names such as `DNS:localhost` and `IP:127.0.0.1`.
   *
   * @param owner user id that the files shall belong to; by default the one of this process.
   */
  issue(names: readonly string[], owner?: number): Promise<ServerCertificate>;
  remove(): Promise<void>;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  // A server may run as another user, who must get through to its certificate.
  await chmod(folder, 0o755);
  const openssl = (...argv: string[]) => run(program ?? 'openssl', argv, { cwd: folder });
  const subject = ['-subj', `/CN=Authority ${folder.slice(-6)}`];
  await openssl('req', '-x509', ...newKey, '-days', '2', ...subject, '-keyout', 'ca.key', '-out', 'ca.pem');
  let issued = 0;

  async function issue(names: readonly string[], owner?: number): Promise<ServerCertificate> {
    issued += 1;
    const name = `server-${issued}`;
    const [key, request, extensions, certificate] = ['key', 'csr', 'ext', 'pem'].map((end) => `${name}.${end}`) as [
      string,
      string,
      string,
      string,
    ];
    await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
    await writeFile(join(folder, extensions), `subjectAltName=${names.join(',')}\n`);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', extensions];
    await openssl('x509', '-req', '-in', request, ...signed, '-out', certificate);
    const keyPath = join(folder, key);
    const certificatePath = join(folder, certificate);
    await chmod(keyPath, 0o600);
    if (owner !== undefined) {
      await chown(keyPath, owner, -1);
      await chown(certificatePath, owner, -1);
    }
    return { certificatePath, keyPath };
  }

  return {
    certificate: await readFile(join(folder, 'ca.pem'), 'utf8'),
    certificatePath: join(folder, 'ca.pem'),
    issue,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
