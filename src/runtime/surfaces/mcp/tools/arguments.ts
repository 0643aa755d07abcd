import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean } from '#kernel/text/nearest-name';
import type { Caller } from '../../../customizer/caller.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { findTimezone, parseTimezone } from '../../request/query-parameters.ts';
import type { PersonalCall } from './tool.ts';

export const collectionNameArgument = z.string().min(1);

/** IANA time zone. */
export const timezoneArgument = z.string().optional();

/** The collection of that exact name. Throws `REQUEST_NOT_FOUND`. */
export function collectionOf({ state }: PersonalCall, name: string): CompiledCollection {
  const collection = state.model.collections.get(name);
  if (collection) return collection;
  throw unknownCollection(name);
}

/** @param nearest The name that was probably meant; one that the caller may see. */
export function unknownCollection(name: string, nearest?: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `There is no collection "${name}".${didYouMean(nearest)}`,
    nearest ? `Use "${nearest}".` : 'Use the exact name of a collection.',
    { details: { unknownCollection: name } },
  );
}

/** Who calls, in the given time zone, else in that of the person (the tag `timezone`), else in UTC. */
export function callerOf({ state, claims, requestId }: PersonalCall, timezone?: string): Caller {
  const zone = timezone === undefined ? findTimezone(claims.tags['timezone'] ?? 'UTC') : parseTimezone(timezone);
  return { ...claims, ...state.authoriser.namesOf(claims), timezone: zone ?? 'UTC', requestId };
}
