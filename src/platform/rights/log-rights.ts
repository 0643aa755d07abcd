import { hash } from 'node:crypto';
import type { AdminValues } from '#contracts/audit/admin-values';
import type { PermissionFile } from '#contracts/permission-file';
import { differenceInWords } from '#contracts/rights-in-words';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { LogChange } from '../audit/admin-log.ts';
import { logIpRules } from '../ip-rules/ip-rule-repository.ts';
import { ipRulesOf } from './derive-permissions.ts';

/** Sentences that one row has of each document, and characters of each sentence. */
const maxSentences = 200;
const maxCharacters = 1_000;

export interface RightsReplaced {
  readonly environment: string;
  readonly before: PermissionFile | null;
  readonly after: PermissionFile | null;
  /** Revision of `before`; 0 where there was none. */
  readonly base: number;
}

/** Log how the rights of an environment differ from what they were, in words, and which addresses may reach the data now. */
export function logRights(log: LogChange, { environment, before, after, base }: RightsReplaced): void {
  const { removed, added } = differenceInWords(before, after);
  log({
    type: base === 0 ? 'add' : 'update',
    resource: 'rights',
    environment,
    ...(base === 0 ? {} : { previousValue: rightsValue(base, removed) }),
    newValue: rightsValue(base + 1, added),
  });
  logIpRules(log, environment, before && ipRulesOf(before), after && ipRulesOf(after));
}

interface WatchChanged {
  readonly environment: string;
  readonly before: PermissionFile | undefined;
  readonly after: PermissionFile | undefined;
  /** The rights that count. */
  readonly rights: PermissionFile | null;
}

/** Log which rights an environment is watched with, and what people would lose by them. */
export function logWatch(log: LogChange, { environment, before, after, rights }: WatchChanged): void {
  const watchValue = (document: PermissionFile) => ({
    digest: hash('sha256', canonicalJson(document)),
    ...firstOf(differenceInWords(rights, document).removed),
  });
  log({
    type: after ? (before ? 'update' : 'add') : 'remove',
    resource: 'rights-watch',
    environment,
    ...(before ? { previousValue: watchValue(before) } : {}),
    ...(after ? { newValue: watchValue(after) } : {}),
  });
}

function rightsValue(revision: number, all: readonly string[]): AdminValues['rights'] {
  return { revision, ...firstOf(all) };
}

function firstOf(all: readonly string[]) {
  const sentences = all.slice(0, maxSentences).map(shortened);
  return { sentences, more: all.length - sentences.length };
}

function shortened(sentence: string): string {
  return sentence.length <= maxCharacters ? sentence : `${sentence.slice(0, maxCharacters).toWellFormed()}…`;
}
