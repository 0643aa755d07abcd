import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Invitation, Person, Team } from '#contracts/people';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, Empty, Failure, Input, look, Table, Title } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { mayManagePeople, meQuery } from '../model/me.ts';
import { createTeam, type ProjectPeople, peopleQuery, removeTeam, revokeInvitation } from '../model/people.ts';
import { InviteDialog, PersonDialog } from './person-dialog.tsx';

/** Who works on the project, who is invited to it, and its teams. */
export function PeopleScreen() {
  const { people: messages } = useMessages();
  const { data: person } = useSuspenseQuery(meQuery);
  if (!mayManagePeople(person)) return <Empty title={messages.mayNot} why={messages.mayNotWhy} />;
  return <ProjectView />;
}

function ProjectView() {
  const { people: messages, screens } = useMessages();
  const { data } = useSuspenseQuery(peopleQuery);
  const [wanted, setWanted] = useState('');
  const [opened, setOpened] = useState<Person | 'new'>();
  const isWanted = (...texts: readonly string[]) =>
    texts.some((text) => text.toLowerCase().includes(wanted.trim().toLowerCase()));
  const people = data.people.filter(({ name, email, roles, teams }) =>
    isWanted(name, email, ...[...roles, ...teams].map((held) => held.name)),
  );
  return (
    <>
      <Title>{screens.people}</Title>
      <div className={look.row}>
        <div className={look.wide}>
          <Input
            type="search"
            aria-label={messages.find}
            placeholder={messages.find}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </div>
        <Button look="primary" data-key="n" onClick={() => setOpened('new')}>
          {messages.invite}
        </Button>
      </div>
      {people.length === 0 ? (
        <Empty title={messages.none} />
      ) : (
        <PeopleTable people={people} onOpen={(person) => setOpened(person)} />
      )}
      <Invitations invitations={data.invitations.filter(({ email }) => isWanted(email))} />
      <Roles people={data.people} roles={data.roles} />
      <Teams teams={data.teams} />
      {opened === 'new' && <InviteDialog project={data} onClose={() => setOpened(undefined)} />}
      {opened !== undefined && opened !== 'new' && (
        <PersonDialog project={data} person={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

interface PeopleTableProps {
  readonly people: readonly Person[];
  readonly onOpen: (person: Person) => void;
}

function PeopleTable({ people, onOpen }: PeopleTableProps) {
  const { people: messages, screens } = useMessages();
  return (
    <Table
      titles={[messages.name, messages.email, messages.level, messages.roles, messages.teams, messages.state]}
      label={screens.people}
    >
      {people.map((person) => (
        <tr key={person.id} data-inactive={!person.isActive}>
          <th scope="row">
            <button type="button" className={look.open} onClick={() => onOpen(person)}>
              <bdi>{person.name}</bdi>
            </button>
          </th>
          <td>
            <bdi>{person.email}</bdi>
          </td>
          <td>{messages.levels[person.level]}</td>
          <td>
            <bdi>{inWords(person.roles)}</bdi>
          </td>
          <td>
            <bdi>{inWords(person.teams)}</bdi>
          </td>
          <td>{person.isActive ? messages.active : messages.deactivated}</td>
        </tr>
      ))}
    </Table>
  );
}

function inWords(held: Person['roles']): string {
  return [...new Set(held.map(({ name }) => name))].join(', ');
}

function Invitations({ invitations }: Pick<ProjectPeople, 'invitations'>) {
  const { people: messages } = useMessages();
  if (invitations.length === 0) return null;
  return (
    <section aria-label={messages.invitations}>
      <h2>{messages.invitations}</h2>
      <ul className={look.list}>
        {invitations.map((invitation) => (
          <InvitationEntry key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function InvitationEntry({
  invitation: { id, email, level, roles, teams, expiresAt },
}: {
  readonly invitation: Invitation;
}) {
  const { people: messages } = useMessages();
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeInvitation(id),
    onSuccess: () => toast(messages.revoked(email)),
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <li className={look.row}>
      <span className={look.wide}>
        <bdi>{email}</bdi> · {messages.levels[level]} ·{' '}
        <bdi>{messages.invitedWith(roles.join(', '), teams.join(', '))}</bdi> · {messages.until(expiresAt.slice(0, 10))}
      </span>
      {revoking.error && <Failure error={revoking.error} />}
      <Button aria-label={messages.revokeOf(email)} disabled={revoking.isPending} onClick={() => revoking.mutate()}>
        {messages.revoke}
      </Button>
    </li>
  );
}

/** The roles and how many people have each. What they may do is on the page of the rights, which also makes them. */
function Roles({ people, roles }: Pick<ProjectPeople, 'people' | 'roles'>) {
  const { people: messages } = useMessages();
  const { environment } = useParams({ from: '/$environment/people' });
  const having = (name: string) => people.filter((person) => person.roles.some((held) => held.name === name)).length;
  return (
    <section aria-label={messages.roles}>
      <h2>{messages.roles}</h2>
      <ul className={look.list}>
        {roles.map(({ name }) => (
          <li key={name}>
            <bdi>{name}</bdi> · {messages.count(String(having(name)))}
          </li>
        ))}
      </ul>
      <p>
        {messages.rolesWhy}{' '}
        <Link to="/$environment/rights" params={{ environment }}>
          {messages.toRights}
        </Link>
      </p>
    </section>
  );
}

function Teams({ teams }: Pick<ProjectPeople, 'teams'>) {
  const { people: messages } = useMessages();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: () => createTeam(name),
    onSuccess: () => setName(''),
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <section aria-label={messages.teams}>
      <h2>{messages.teams}</h2>
      <ul className={look.list}>
        {teams.map((team) => (
          <TeamEntry key={team.name} team={team} />
        ))}
      </ul>
      {creating.error && <Failure error={creating.error} />}
      <form
        className={look.row}
        onSubmit={(event) => {
          event.preventDefault();
          if (!creating.isPending) creating.mutate();
        }}
      >
        <div className={look.wide}>
          <Input
            aria-label={messages.newTeam}
            placeholder={messages.newTeam}
            required
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button type="submit">{messages.createTeam}</Button>
      </form>
    </section>
  );
}

function TeamEntry({ team: { name, people } }: { readonly team: Team }) {
  const { people: messages } = useMessages();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const removing = useMutation({
    mutationFn: () => removeTeam(name),
    onSuccess: () => setAsked(false),
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <li className={look.row}>
      <span className={look.wide}>
        <bdi>{name}</bdi> · {messages.count(String(people))}
      </span>
      {people === 0 && (
        <Button aria-label={messages.removeOf(name)} onClick={() => setAsked(true)}>
          {messages.remove}
        </Button>
      )}
      {isAsked && (
        <ConfirmDialog
          title={messages.removeOf(name)}
          why={messages.removeWhy}
          label={messages.remove}
          running={removing}
          onClose={() => setAsked(false)}
        />
      )}
    </li>
  );
}
