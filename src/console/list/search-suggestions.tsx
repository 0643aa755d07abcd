import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { collectionQuery, isToOne, type VisibleCollection, type VisibleField } from '../model/schema.ts';
import { fieldTypeOf } from '../values/field-type.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import type { SearchToken } from './search-token.ts';
import { writtenName, writtenValue } from './written-search.ts';

const mostShown = 12;

interface SearchSuggestionsProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly token: SearchToken;
  readonly onFound: (found: readonly string[]) => void;
}

/** Works out what a token may become: names of fields, and then the values that the field has. */
export function SearchSuggestions({ agent, collection, token, onFound }: SearchSuggestionsProps) {
  const [first = '', ...rest] = (token.field ?? token.text).split('.');
  const relation = rest.length > 0 ? collection.relations.find(({ name }) => isSameName(name, first)) : undefined;
  const foreign = useQuery({
    ...collectionQuery(agent, relation?.collection ?? ''),
    enabled: relation !== undefined,
  });
  const owner = relation ? foreign.data : collection;
  const field =
    token.field === undefined
      ? undefined
      : owner?.fields.find(({ name }) => isSameName(name, relation ? rest.join('.') : first));
  const values = useQuery({
    queryKey: ['rows', agent.environment, owner?.name, 'values', field?.name, token.text],
    enabled: owner?.rights.read === true && field !== undefined && isAsked(field),
    queryFn: ({ signal }) =>
      askAgent<{ readonly values: readonly { readonly value: unknown }[] }>(
        agent,
        ['_internal', 'values', owner?.name ?? ''],
        { field: field?.name, search: token.text || undefined },
        { signal },
      ),
  });
  const found = (
    field ? valuesFor(field, token.text, values.data?.values ?? []) : token.field === undefined ? namesFor() : []
  ).slice(0, mostShown);
  function namesFor(): readonly string[] {
    if (relation) return namesOf(owner, rest.join('.'), `${first}.`);
    const wanted = collection.relations.filter(isToOne).flatMap(({ name }) => written(name, first, '.'));
    return [...namesOf(collection, first, ''), ...wanted];
  }
  const text = JSON.stringify(found);
  useEffect(() => onFound(JSON.parse(text) as readonly string[]), [text, onFound]);
  return null;
}

/** Case, `-`, `_` and spaces of a name do not count. */
function isSameName(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

function written(name: string, wanted: string, end: string): readonly string[] {
  const text = writtenName(name);
  return text !== undefined && wanted !== '' && plain(name).startsWith(plain(wanted)) ? [text + end] : [];
}

function namesOf(collection: VisibleCollection | undefined, wanted: string, before: string): readonly string[] {
  const names = (collection?.fields ?? []).flatMap(({ name }) => {
    const text = writtenName(name);
    const isWanted = before !== '' || wanted !== '';
    return text !== undefined && isWanted && plain(name).startsWith(plain(wanted)) ? [`${before}${text}:`] : [];
  });
  return names;
}

/** Enumerations and booleans are in the schema; texts are asked for. */
function isAsked({ type, enumValues }: VisibleField): boolean {
  return enumValues === null && fieldTypeOf(type) === 'String';
}

function valuesFor(
  { type, enumValues }: VisibleField,
  wanted: string,
  asked: readonly { readonly value: unknown }[],
): readonly string[] {
  const known = fieldTypeOf(type) === 'Boolean' ? ['true', 'false'] : enumValues;
  const values = known ?? asked.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  return values
    .filter((value) => known === null || value.toLowerCase().includes(wanted.toLowerCase()))
    .flatMap((value) => writtenValue(value) ?? []);
}
