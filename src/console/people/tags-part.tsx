import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Person } from '#contracts/people';
import { Button, Failure, Input, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { rightsQuery, setRights, tagsOf, withTags } from '../model/rights.ts';

type Tags = Readonly<Record<string, string>>;

/** The tags of somebody in the environment of the page. They are a part of its rights. */
export function TagsPart({ person }: { readonly person: Person }) {
  const { people: messages, rights: ofRights } = useMessages();
  const { environment } = useParams({ from: '/$environment/people' });
  const { data: rights } = useSuspenseQuery(rightsQuery({ environment }));
  const title = messages.tagsIn(environment);
  return (
    <section aria-label={title} className={look.form}>
      <h2>{title}</h2>
      <p className={look.small}>{rights.document ? messages.tagsWhy : messages.tagsNoRights}</p>
      {rights.document ? (
        <TagsForm environment={environment} person={person} before={tagsOf(rights.document, person.email)} />
      ) : (
        <Link to="/$environment/rights" params={{ environment }}>
          {ofRights.open}
        </Link>
      )}
    </section>
  );
}

interface TagsFormProps {
  readonly environment: string;
  readonly person: Person;
  readonly before: Tags;
}

function TagsForm({ environment, person, before }: TagsFormProps) {
  const { people: messages } = useMessages();
  const client = useQueryClient();
  /** What somebody has typed; `undefined` while that is nothing. */
  const [typed, setTyped] = useState<{ readonly tags: Tags; readonly before: Tags }>();
  const [name, setName] = useState('');
  const tags = typed?.tags ?? before;
  const change = (next: Tags) => setTyped({ tags: next, before: typed?.before ?? before });
  const saving = useMutation({
    mutationFn: async (draft: NonNullable<typeof typed>) => {
      // Asked anew: what somebody else has changed meanwhile stays.
      const rights = await client.fetchQuery({ ...rightsQuery({ environment }), staleTime: 0 });
      const document = withTags(rights.document ?? { roles: {} }, person.email, draft.before, draft.tags);
      return setRights({ environment }, { document, base: rights.revision, allowLockout: false });
    },
    onSuccess: (rights) => {
      client.setQueryData(['rights', environment], rights);
      setTyped(undefined);
      toast(messages.tagsSaved(person.name));
    },
  });
  return (
    <form
      className={look.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed && !saving.isPending) saving.mutate(typed);
      }}
    >
      {Object.entries(tags).map(([tag, value]) => (
        <div key={tag} className={look.row}>
          <bdi>{tag}</bdi>
          <div className={look.wide}>
            <Input
              aria-label={messages.tagValue(tag)}
              value={value}
              onChange={({ target }) => change({ ...tags, [tag]: target.value })}
            />
          </div>
          <Button aria-label={messages.removeTag(tag)} onClick={() => change(without(tags, tag))}>
            {messages.remove}
          </Button>
        </div>
      ))}
      <div className={look.row}>
        <Input
          aria-label={messages.tag}
          placeholder={messages.tag}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button
          disabled={name.trim() === '' || Object.hasOwn(tags, name.trim())}
          onClick={() => {
            change({ ...tags, [name.trim()]: '' });
            setName('');
          }}
        >
          {messages.addTag}
        </Button>
        <Button type="submit" look="primary" disabled={!typed || saving.isPending}>
          {messages.setTags}
        </Button>
      </div>
      {saving.error && <Failure error={saving.error} />}
    </form>
  );
}

function without(tags: Tags, removed: string): Tags {
  return Object.fromEntries(Object.entries(tags).filter(([tag]) => tag !== removed));
}
