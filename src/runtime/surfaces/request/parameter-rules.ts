import type { AgentTokenClaims } from '#contracts/agent-token';
import { type RestSettings, zoneOfPerson } from '#contracts/rest-settings';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Logger } from '#kernel/ports/logger';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { isValueField, type ModelView } from '../../model/compiled-model.ts';
import { findTimezone, type QueryParameters } from './query-parameters.ts';

/** Every parameter of an address that some route reads, but `fields[…]`. */
const knownParameters: ReadonlySet<string> = new Set([
  ...['timezone', 'filters', 'search', 'searchExtended', 'segment', 'segmentQuery', 'connectionName'],
  ...[
    'sort',
    'page[size]',
    'page[number]',
    'page[after]',
    'deleted',
    'header',
    'filename',
    'delete',
    'dryRun',
    'field',
  ],
  ...['tool-name', 'source-id', 'before', 'limit', 'sequence', 'slowerThan', 'action', 'state'],
]);

const fieldsOf = /^fields\[(.*)\]$/s;

/** What the agent makes of parameters that are missing or unknown. Settings may change while it serves. */
export class ParameterRules {
  settings: RestSettings;

  constructor(settings: RestSettings = {}) {
    this.settings = settings;
  }

  /** The time zone of a request that names none; `undefined` where it has to. Throws `REQUEST_INVALID` for a tag that is not a zone. */
  defaultTimezone({ tags }: Pick<AgentTokenClaims, 'tags'>): string | undefined {
    const { defaultTimezone } = this.settings;
    if (defaultTimezone !== zoneOfPerson) return defaultTimezone;
    const { timezone } = tags;
    if (timezone === undefined || findTimezone(timezone) !== undefined) return timezone;
    throw invalidRequest(
      `Your tag "timezone" is "${timezone}", which is not a time zone.`,
      'Send the parameter "timezone", and have the tag corrected to an IANA name.',
    );
  }

  /** Log parameters that no route knows, or throw `REQUEST_INVALID` for the first one, as the settings say. */
  check(
    query: QueryParameters,
    model: ModelView,
    logger: Logger,
    facts: { readonly path: string; readonly correlationId: string },
  ): void {
    for (const name in query) {
      const problem = problemOf(name, model);
      if (problem === undefined) continue;
      if (this.settings.unknownParameters === 'refuse') {
        throw invalidRequest(problem, 'Leave it out, or send a parameter that docs/rest-api.md names.');
      }
      logger.log('Warn', problem, facts);
    }
  }
}

function problemOf(name: string, model: ModelView): string | undefined {
  if (knownParameters.has(name)) return undefined;
  const [, subject] = fieldsOf.exec(name) ?? [];
  if (subject === undefined) return unknown(name, nearestName(name, knownParameters));
  const names = namesOfFields(model);
  if (names.has(subject)) return undefined;
  const nearest = nearestName(subject, names);
  return unknown(name, nearest && `fields[${nearest}]`);
}

function unknown(name: string, nearest: string | undefined): string {
  return `The parameter "${name}" is unknown.${didYouMean(nearest)}`;
}

const subjects = new WeakMap<ModelView, ReadonlySet<string>>();

/** What may be in `fields[…]`: the collections and the relations of a model. */
function namesOfFields(model: ModelView): ReadonlySet<string> {
  const known = subjects.get(model);
  if (known) return known;
  const names = new Set(
    [...model.collections.values()].flatMap(({ name, fields }) => [
      name,
      ...[...fields.values()].filter((field) => !isValueField(field)).map((field) => field.name),
    ]),
  );
  subjects.set(model, names);
  return names;
}
