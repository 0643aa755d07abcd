import type { Clock } from '#kernel/ports/clock';
import type { WithVariable } from '#kernel/ports/env';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Http, HttpStreams } from '#kernel/ports/http';
import type { Keychain } from '#kernel/ports/keychain';
import type { Logger } from '#kernel/ports/logger';
import type { Machine } from '#kernel/ports/machine';
import type { Programs, Tools } from '#kernel/ports/programs';
import type { Random } from '#kernel/ports/random';
import type { Reporter } from '#kernel/ports/reporter';
import type { OpenReverseProxy } from '#kernel/ports/reverse-proxy';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { Tcp } from '#kernel/ports/tcp';

/** This package, as installed. */
export interface PackageInfo {
  readonly name: string;
  readonly version: string;
  /** Absolute path of its folder. */
  readonly root: string;
}

/**
 * Everything that a flow may use from outside. A command, a test or another program builds it, and a flow reads nothing
 * else.
 */
export interface FlowContext {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  readonly http: Http & HttpStreams;
  readonly tcp: Tcp;
  readonly openReverseProxy: OpenReverseProxy;
  readonly machine: Machine;
  readonly tools: Tools;
  readonly keychain: Keychain;
  readonly programs: Programs;
  readonly logger: Logger;
  readonly reporter: Reporter;
  readonly withVariable: WithVariable;
  /** Environment variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Of the person who runs the command. */
  readonly homeFolder: string;
  /** A person can be asked questions. */
  readonly isInteractive: boolean;
  readonly pid: number;
  readonly package: PackageInfo;
  /** Module that a worker thread runs to serve an agent. */
  readonly agentWorkerUrl: URL;
  openDatabase(
    path: string,
    options?: { readonly mustExist?: boolean; readonly synchronous?: 'FULL' | 'NORMAL' },
  ): Promise<SqliteConnection>;
  /** SHA-256, lower-case hexadecimal. */
  sha256Hex(content: Uint8Array): string;
  sealTexts(secret: string, purpose: string): SealedTexts;
  /** The commit the folder is at, or `null` outside a repository. */
  gitCommit(folder: string): Promise<string | null>;
  /** Whether a process of that pid runs, started not after `startedAt` (milliseconds since the epoch). */
  isProcessAlive(pid: number, startedAt: number): Promise<boolean>;
  /** Register an undo for an interrupted run; returns a function that removes it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
}
