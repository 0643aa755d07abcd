import path from 'node:path';
import { execa } from 'execa';

export interface CliRun {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const launcher = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/** What a command says only because the machine is busy. */
const slowness = /^(?:Waiting for \S+ …|This machine is busy: .*)$/;

function withoutSlowness(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !slowness.test(line))
    .join('\n');
}

/** Run the command line as a child process without a terminal; variables of the surrounding run do not reach it. */
export async function runCli(
  parameters: readonly string[],
  options: {
    readonly cwd: string;
    readonly bin?: string;
    readonly env?: Record<string, string>;
    readonly input?: string;
  },
): Promise<CliRun> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [options.bin ?? launcher, ...parameters], {
    cwd: options.cwd,
    // No test waits for a registry of packages.
    env: { PATH: process.env['PATH'] ?? '', HOME: options.cwd, SERVICE_INSTALL: 'false', ...options.env },
    extendEnv: false,
    reject: false,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    // What hangs only has to end some day.
    timeout: 10 * 60_000,
  });
  return { exitCode, stdout, stderr: withoutSlowness(stderr) };
}
