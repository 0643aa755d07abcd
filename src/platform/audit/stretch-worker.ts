import { type ActStretch, readStretches } from '#contracts/audit/act-stretch';
import { serveTasks } from '#node/system/thread-pool';
import type { StretchTask } from './read-in-threads.ts';

/** The entry of a thread that verifies lines of a log. */
serveTasks<StretchTask, readonly (string | ActStretch)[]>(({ text, limits }) => readStretches(text, limits));
