import { useEffect, useRef, useState } from 'react';
import type { Checkpoint } from '#contracts/audit/checkpoint';
import type { Verdict } from '#contracts/audit/verdict';
import { useStable } from '../design/use-stable.ts';
import type { LogSource } from './log-state.ts';
import workerAddress from './verification-worker.ts?worker&url';

/** What the worker is asked. */
export interface ToVerify {
  readonly source: LogSource;
  /** The checkpoint that this browser has kept. */
  readonly kept: string | undefined;
  /** The text of a file of checkpoints that somebody has chosen. */
  readonly checkpoints: string | undefined;
  /** Public keys of the platform, from elsewhere than the platform. Without any, those that it names are trusted. */
  readonly keys: readonly string[];
  /** Public keys of machines that must have signed the log lately. */
  readonly witnesses: readonly string[];
}

/** What the worker answers. */
export type Told =
  | { readonly kind: 'progress'; readonly rows: number; readonly of: number }
  | { readonly kind: 'verified'; readonly verdict: Verdict; readonly toKeep?: KeptCheckpoint }
  /** The browser cannot verify signatures. */
  | { readonly kind: 'unsupported' }
  /** The file that somebody has chosen holds no checkpoints. */
  | { readonly kind: 'noCheckpoints' }
  /** Something that somebody has given is not a public key. */
  | { readonly kind: 'noKey' | 'noWitness'; readonly text: string }
  /** `null`: no answer came. */
  | { readonly kind: 'failed'; readonly message: string | null; readonly nextSteps: readonly string[] };

/** A checkpoint that was verified, signed as a note. */
interface KeptCheckpoint extends Checkpoint {
  readonly note: string;
}

/** What somebody knows from elsewhere. */
interface Given extends Pick<ToVerify, 'keys' | 'witnesses'> {
  /** The text of a file of checkpoints. */
  readonly checkpoints: Promise<string> | undefined;
}

export interface Verification {
  /** What the worker has told last; `undefined` before it has begun. */
  readonly told: Told | undefined;
  readonly kept: KeptCheckpoint | undefined;
  start(given: Given): Promise<void>;
  stop(): void;
  forget(): void;
}

/** Verifies a log in a worker, against the checkpoint that this browser has kept of it. */
export function useVerification(source: LogSource): Verification {
  const [told, setTold] = useState<Told>();
  const [kept, setKept] = useState(() => readKept(source));
  const worker = useRef<Worker>(undefined);
  const end = useStable(() => worker.current?.terminate());
  useEffect(() => end, [end]);
  return {
    told,
    kept,
    async start({ checkpoints: text, ...given }) {
      end();
      setTold({ kind: 'progress', rows: 0, of: 0 });
      const checkpoints = await text;
      const started = newWorker();
      worker.current = started;
      started.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        if (data.kind === 'verified' && data.toKeep) keep(source, data.toKeep);
        if (data.kind === 'verified') setKept(readKept(source));
        setTold(data);
        if (data.kind !== 'progress') started.terminate();
      });
      started.addEventListener('error', ({ message }) => setTold({ kind: 'failed', message, nextSteps: [] }));
      started.postMessage({ source, kept: kept?.note, checkpoints, ...given } satisfies ToVerify);
    },
    stop() {
      end();
      setTold(undefined);
    },
    forget() {
      localStorage.removeItem(placeOf(source));
      setKept(undefined);
      setTold(undefined);
    },
  };
}

declare global {
  /** Absent in browsers that have no Trusted Types, and then no policy to obey. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { readonly createScriptURL: (address: string) => string },
        ): { createScriptURL(address: string): string };
      }
    | undefined;
}

/** The policy of the page lets scripts start this worker and no other one. */
const policy = globalThis.trustedTypes?.createPolicy('log-verification', { createScriptURL: () => workerAddress });

function newWorker(): Worker {
  return new Worker(policy?.createScriptURL('') ?? workerAddress);
}

/** By project and environment, not by chain: so a log that another one has replaced is noticed. */
function placeOf({ kind, project, environment }: LogSource): string {
  return `vendor-cloud checkpoint of ${JSON.stringify([project, kind === 'admin' ? null : environment])}`;
}

function keep(source: LogSource, checkpoint: KeptCheckpoint): void {
  localStorage.setItem(placeOf(source), JSON.stringify(checkpoint));
}

function readKept(source: LogSource): KeptCheckpoint | undefined {
  const text = localStorage.getItem(placeOf(source));
  return text === null ? undefined : (JSON.parse(text) as KeptCheckpoint);
}
