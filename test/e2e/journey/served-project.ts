import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import type { DevProcess } from '../../helpers/dev-process.ts';

export interface Ready {
  readonly agent: { readonly url: string };
  readonly sandbox: { readonly url: string };
  readonly mcp: { readonly url: string; readonly token: string };
  readonly token: string;
}

interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly location?: { readonly line: number; readonly frame?: string };
}

interface ServedProjectParts {
  /** Path of the launcher. */
  readonly bin: string;
  /** Folder of the project. */
  readonly root: string;
  readonly dev: DevProcess;
  readonly ready: Ready;
  /** The code that the project began with. */
  readonly template: string;
}

/** A project that `dev` serves, with the ways to use it that the steps of the journey share. */
export class ServedProject {
  readonly bin: string;
  readonly root: string;
  readonly dev: DevProcess;
  readonly ready: Ready;
  readonly template: string;

  constructor({ bin, root, dev, ready, template }: ServedProjectParts) {
    this.bin = bin;
    this.root = root;
    this.dev = dev;
    this.ready = ready;
    this.template = template;
  }

  /** Ask the agent. */
  async api(method: string, pathAndQuery: string, body?: unknown, token = this.ready.token) {
    const separator = pathAndQuery.includes('?') ? '&' : '?';
    const response = await fetch(`${this.ready.agent.url}${pathAndQuery}${separator}timezone=Europe/Paris`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  /** Run another command in the folder of the project. */
  async run(...words: string[]) {
    return execa(process.execPath, [this.bin, ...words], { cwd: this.root, reject: false, stdin: 'ignore' });
  }

  /** What a command that succeeds prints with `--json`. */
  async result(...words: string[]) {
    const { exitCode, stdout, stderr } = await this.run(...words, '--json');
    assert.equal(exitCode, 0, `${words.join(' ')}: ${stdout} ${stderr}`);
    return JSON.parse(stdout);
  }

  /** The next error that `dev` tells. */
  async nextError(): Promise<ToldError> {
    return (await this.dev.next('error'))['error'] as ToldError;
  }

  readCode(): Promise<string> {
    return readFile(this.#entry, 'utf8');
  }

  saveCode(text: string): Promise<void> {
    return writeFile(this.#entry, text);
  }

  get #entry(): string {
    return path.join(this.root, 'src/index.ts');
  }
}
