import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import type { PermissionLevel } from '#contracts/identity';
import type { ChangePerson, Person } from '#contracts/people';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { OnceDialog } from '../design/once-dialog.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { meQuery, startImpersonation } from '../model/me.ts';
import { changePerson, invite, makePasswordReset, type ProjectPeople } from '../model/people.ts';
import { RequestFailed } from '../wire/http.ts';
import { SessionList } from './session-list.tsx';
import { TagsPart } from './tags-part.tsx';

interface DialogProps {
  readonly project: ProjectPeople;
  readonly onClose: () => void;
}

/** What an administrator gives somebody. The first role and the first team stand where only one can. */
interface Given {
  readonly level: PermissionLevel;
  readonly roles: readonly string[];
  readonly teams: readonly string[];
}

/** Invites somebody. The link is shown once. */
export function InviteDialog({ project, onClose }: DialogProps) {
  const { people: messages, cancel } = useMessages();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [given, setGiven] = useState<Given>({ level: 'user', roles: [], teams: [] });
  const inviting = useMutation({
    // The link is not kept when the dialog is gone.
    gcTime: 0,
    mutationFn: () => {
      const { level, roles, teams } = given;
      return invite({ email, level, roles: [...roles], ...(teams.length > 0 ? { teams: [...teams] } : {}) });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  if (inviting.data) {
    const { link, expiresAt } = inviting.data;
    return <LinkDialog title={messages.invited(email)} link={link} expiresAt={expiresAt} onClose={onClose} />;
  }
  return (
    <Dialog title={messages.invite} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!inviting.isPending) inviting.mutate();
        }}
      >
        <label>
          {messages.email}
          <input
            className={look.input}
            type="email"
            required
            maxLength={254}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </label>
        <GivenFields project={project} given={given} onChange={setGiven} />
        {inviting.error && <Failure error={inviting.error} />}
        <Buttons>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" disabled={given.roles.length === 0 || inviting.isPending}>
            {messages.invite}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

/** Changes what somebody has, ends their access and their sessions, or makes a link for a new password. */
export function PersonDialog({ project, person, onClose }: DialogProps & { readonly person: Person }) {
  const { people: messages, cancel, save, loading } = useMessages();
  const client = useQueryClient();
  const [given, setGiven] = useState(() => givenTo(person));
  const change = changeOf(givenTo(person), given);
  const [allowLockout, setAllowLockout] = useState(false);
  const changing = useMutation({
    mutationFn: (what: ChangePerson) => changePerson(person.id, { ...what, allowLockout }),
    onSuccess: ({ name }) => {
      toast(messages.changed(name));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  const { data: me } = useSuspenseQuery(meQuery);
  const seeing = useMutation({ mutationFn: () => startImpersonation(person.id) });
  const resetting = useMutation({ gcTime: 0, mutationFn: () => makePasswordReset(person.id) });
  const isLockout = changing.error instanceof RequestFailed && changing.error.code === 'ADMINISTRATORS_LOCKED_OUT';
  if (resetting.data) {
    const { link, expiresAt } = resetting.data;
    return <LinkDialog title={messages.newPassword(person.name)} link={link} expiresAt={expiresAt} onClose={onClose} />;
  }
  const others = [...person.roles, ...person.teams].filter(({ source }) => source !== 'given');
  return (
    <Dialog title={person.name} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (change && !changing.isPending) changing.mutate(change);
        }}
      >
        <p>
          <bdi>{person.email}</bdi>
        </p>
        <GivenFields project={project} given={given} onChange={setGiven} />
        {others.length > 0 && (
          <p className={look.small}>
            {messages.fromElsewhere}:{' '}
            <bdi>{others.map(({ name, source }) => `${name} (${messages.sources[source]})`).join(', ')}</bdi>
          </p>
        )}
        <div className={look.row}>
          {person.isActive && person.id !== me.user.id && (
            <Button disabled={seeing.isPending} onClick={() => seeing.mutate()}>
              {messages.seeAs(person.name)}
            </Button>
          )}
          <Button disabled={resetting.isPending} onClick={() => resetting.mutate()}>
            {messages.resetPassword}
          </Button>
          <Button
            look={person.isActive ? 'danger' : 'quiet'}
            disabled={changing.isPending}
            onClick={() => changing.mutate({ isActive: !person.isActive })}
          >
            {person.isActive ? messages.deactivate : messages.reactivate}
          </Button>
        </div>
        {changing.error && <Failure error={changing.error} />}
        {seeing.error && <Failure error={seeing.error} />}
        {resetting.error && <Failure error={resetting.error} />}
        {isLockout && (
          <Choice isChosen={allowLockout} onChange={setAllowLockout}>
            {messages.allowLockout}
          </Choice>
        )}
        <Buttons>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" disabled={!change || changing.isPending}>
            {save}
          </Button>
        </Buttons>
      </form>
      <Suspense fallback={<p className={look.late}>{loading}</p>}>
        <TagsPart person={person} />
        <SessionList title={messages.sessionsOf(person.name)} person={person.id} />
      </Suspense>
    </Dialog>
  );
}

function givenTo({ level, roles, teams }: Person): Given {
  const names = (held: Person['roles']) => held.filter(({ source }) => source === 'given').map(({ name }) => name);
  return { level, roles: names(roles), teams: names(teams) };
}

/** What is to change. The rest stays, whoever changes it meanwhile. Nobody can be left without a role or a team. */
function changeOf(before: Given, { level, roles, teams }: Given): ChangePerson | undefined {
  const isOther = (names: readonly string[], old: readonly string[]) => names.join('\n') !== old.join('\n');
  const change = {
    ...(level === before.level ? {} : { level }),
    ...(isOther(roles, before.roles) ? { roles: [...roles] } : {}),
    ...(isOther(teams, before.teams) ? { teams: [...teams] } : {}),
  };
  const isEmpty = Object.keys(change).length === 0 || change.roles?.length === 0 || change.teams?.length === 0;
  return isEmpty ? undefined : change;
}

interface GivenFieldsProps {
  readonly project: ProjectPeople;
  readonly given: Given;
  readonly onChange: (given: Given) => void;
}

function GivenFields({ project, given, onChange }: GivenFieldsProps) {
  const { people: messages } = useMessages();
  return (
    <>
      <label>
        {messages.level}
        <select
          className={look.input}
          value={given.level}
          onChange={({ target }) => onChange({ ...given, level: target.value as PermissionLevel })}
        >
          {Object.entries(messages.levels).map(([level, text]) => (
            <option key={level} value={level}>
              {text}
            </option>
          ))}
        </select>
        <span className={look.small}>{messages.levelsWhy[given.level]}</span>
      </label>
      <p className={look.small}>{messages.levelAndRoles}</p>
      <Names
        title={messages.roles}
        all={project.roles}
        chosen={given.roles}
        onChange={(roles) => onChange({ ...given, roles })}
      />
      <Names
        title={messages.teams}
        all={project.teams}
        chosen={given.teams}
        onChange={(teams) => onChange({ ...given, teams })}
      />
    </>
  );
}

interface NamesProps {
  readonly title: string;
  readonly all: readonly { readonly name: string }[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Those that are chosen, in the order in which they were: the first one is used where only one can be. */
function Names({ title, all, chosen, onChange }: NamesProps) {
  const { people: messages } = useMessages();
  return (
    <fieldset className={look.choices}>
      <legend>{title}</legend>
      {all.map(({ name }) => (
        <Choice
          key={name}
          isChosen={chosen.includes(name)}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))}
        >
          <bdi>{name}</bdi>{' '}
          {chosen.length > 1 && chosen[0] === name && <span className={look.small}>{messages.first}</span>}
        </Choice>
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
  readonly children: ReactNode;
}

function Choice({ isChosen, onChange, children }: ChoiceProps) {
  return (
    <label>
      <input type="checkbox" checked={isChosen} onChange={({ target }) => onChange(target.checked)} /> {children}
    </label>
  );
}

interface LinkDialogProps {
  readonly title: string;
  readonly link: string;
  readonly expiresAt: string;
  readonly onClose: () => void;
}

function LinkDialog({ title, link, expiresAt, onClose }: LinkDialogProps) {
  const { people: messages } = useMessages();
  return (
    <OnceDialog
      title={title}
      warning={messages.linkOnce}
      until={messages.linkUntil(expiresAt.slice(0, 16).replace('T', ' '))}
      text={link}
      copyLabel={messages.copyLink}
      onClose={onClose}
    />
  );
}
