import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Me } from '#contracts/identity';
import type { PermissionFile } from '#contracts/permission-file';
import type { RenamedRole } from '#contracts/rights';
import { Button, Empty, Input, look, Notice, Title } from '../design/controls.tsx';
import { useLeaveGuard } from '../design/leave-guard.ts';
import { useMessages } from '../messages/index.ts';
import { mayManagePeople, mayReadRights, maySetRights, meQuery } from '../model/me.ts';
import { type ProjectPeople, peopleQuery } from '../model/people.ts';
import { rightsQuery } from '../model/rights.ts';
import { noSchema, schemaQuery } from '../model/schema.ts';
import { AddressesPart } from './addresses-part.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { ReviewDialog, type RightsDraft } from './review-dialog.tsx';
import styles from './rights.module.css';
import { everything, namedCollections, rolesUnder } from './rights-draft.ts';
import { RightsMatrix, type Seen } from './rights-matrix.tsx';
import { lastSeen, noteSeen } from './rights-state.ts';
import { RemoveRoleDialog, RenameRoleDialog } from './role-dialogs.tsx';
import { holderOf, renamedWith, withoutRole, withRenamedRole } from './role-draft.ts';
import { RulesDialog } from './rules-dialog.tsx';
import { TeamsPart } from './teams-part.tsx';

/** Who may do what in the environment, and a draft of it that nobody has before somebody saves it. */
export function RightsScreen() {
  const { rights: messages } = useMessages();
  const { data: person } = useSuspenseQuery(meQuery);
  if (!mayReadRights(person)) return <Empty title={messages.mayNot} why={messages.mayNotWhy} />;
  return <RightsOfEnvironment person={person} />;
}

function RightsOfEnvironment({ person }: { readonly person: Me }) {
  const { rights: messages, screens } = useMessages();
  const { environment } = useParams({ from: '/$environment/rights' });
  const { data: rights } = useSuspenseQuery(rightsQuery({ environment }));
  const { data: project } = useQuery({ ...peopleQuery, enabled: mayManagePeople(person) });
  const [draft, setDraft] = useState<RightsDraft>();
  useLeaveGuard(
    () => draft !== undefined,
    () => messages.leave,
    { isOfPage: true },
  );
  const document = draft?.document ?? rights.document;
  const mayEdit = maySetRights(person);
  const renamed = draft?.renamedRoles ?? [];
  const change = (next: PermissionFile, renamedRoles = renamed) =>
    setDraft({ document: next, base: draft?.base ?? rights.revision, renamedRoles });
  if (!document) {
    return (
      <>
        <Title>{screens.rights}</Title>
        <Empty title={messages.none} why={messages.noneWhy}>
          {mayEdit && project && (
            <Button onClick={() => change(everything(project.roles.map(({ name }) => name)))}>{messages.begin}</Button>
          )}
        </Empty>
      </>
    );
  }
  return (
    <>
      <Title>{screens.rights}</Title>
      {!mayEdit && <p className={look.small}>{messages.readOnly}</p>}
      <Unrestricted environment={environment} />
      {draft && <DraftNotice environment={environment} draft={draft} onEnd={() => setDraft(undefined)} />}
      <Rights
        environment={environment}
        document={document}
        teams={rights.teams.map(({ name }) => name)}
        project={project}
        mayEdit={mayEdit}
        renamed={renamed}
        onChange={change}
      />
    </>
  );
}

/** A developer may do everything at the agent that they develop, and so may everybody else there. */
function Unrestricted({ environment }: { readonly environment: string }) {
  const { rights: messages } = useMessages();
  const { data: schema = noSchema } = useQuery(schemaQuery({ environment }));
  if (!schema.isUnrestricted) return null;
  return (
    <Notice kind="warning" title={messages.unrestricted}>
      <p>{messages.unrestrictedWhy}</p>
    </Notice>
  );
}

interface DraftNoticeProps {
  readonly environment: string;
  readonly draft: RightsDraft;
  readonly onEnd: () => void;
}

function DraftNotice({ environment, draft, onEnd }: DraftNoticeProps) {
  const { rights: messages } = useMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <Notice kind="warning" title={messages.draft}>
      <p>{messages.draftWhy}</p>
      <div className={look.row}>
        <Button look="primary" data-key="w" onClick={() => setOpen(true)}>
          {messages.review}
        </Button>
        <Button onClick={onEnd}>{messages.discard}</Button>
      </div>
      {isOpen && (
        <ReviewDialog environment={environment} draft={draft} onSaved={onEnd} onClose={() => setOpen(false)} />
      )}
    </Notice>
  );
}

interface RightsProps {
  readonly environment: string;
  readonly document: PermissionFile;
  /** The teams of the project. */
  readonly teams: readonly string[];
  /** Absent for whoever may not know the people of the project. */
  readonly project: ProjectPeople | undefined;
  readonly mayEdit: boolean;
  /** Roles that the draft calls otherwise. */
  readonly renamed: readonly RenamedRole[];
  readonly onChange: (document: PermissionFile, renamed?: readonly RenamedRole[]) => void;
}

function Rights(props: RightsProps) {
  const { environment, document, project, mayEdit, renamed, onChange } = props;
  const { rights: messages } = useMessages();
  const { data: schema = noSchema } = useQuery(schemaQuery({ environment }));
  const known = schema.collections.map(({ name }) => name);
  const roles = Object.keys(document.roles);
  const { of = lastSeen(environment) } = useSearch({ from: '/$environment/rights' });
  const navigate = useNavigate({ from: '/$environment/rights' });
  const [opened, setOpened] = useState<string>();
  const [isFileOpen, setFileOpen] = useState(false);
  const choose = (chosen: string) => {
    noteSeen(environment, chosen);
    void navigate({ search: { of: chosen }, replace: true });
  };
  const seen = seenOf(of, { roles, project, renamed });
  return (
    <>
      <div className={look.row}>
        <SeenAs
          roles={roles}
          project={project}
          value={seen.kind === 'role' ? `role ${seen.role}` : (of ?? '')}
          onChange={choose}
        />
        {mayEdit && seen.kind === 'role' && seen.role !== '' && (
          <RoleDeeds {...props} role={seen.role} onChoose={(role) => choose(`role ${role}`)} />
        )}
        <Button onClick={() => setFileOpen(true)}>{messages.file}</Button>
      </div>
      {mayEdit && (
        <NewRole
          onAdd={(role) => {
            // One that is there keeps its rights.
            if (!roles.includes(role))
              onChange({ ...document, roles: { ...document.roles, [role]: { collections: {} } } });
            choose(`role ${role}`);
          }}
        />
      )}
      <p className={look.small}>{messages.seenWhy}</p>
      {seen.kind === 'person' && <p>{messages.rolesOf(rolesUnder(document, seen.holder).join(', '))}</p>}
      <RightsMatrix
        document={document}
        seen={seen}
        collections={namedCollections(document, known)}
        mayEdit={mayEdit}
        onChange={onChange}
        onOpen={setOpened}
      />
      {opened !== undefined && seen.kind === 'role' && (
        <Suspense>
          <RulesDialog
            environment={environment}
            isKnown={known.includes(opened)}
            document={document}
            role={seen.role}
            collection={opened}
            mayEdit={mayEdit}
            onChange={onChange}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
      {mayEdit && <Parts {...props} known={known} />}
      {isFileOpen && (
        <JsonDialog
          title={messages.file}
          why={messages.fileWhy}
          value={document}
          {...(mayEdit
            ? {
                onTake: (value) => {
                  onChange(value as PermissionFile);
                  setFileOpen(false);
                },
              }
            : {})}
          onClose={() => setFileOpen(false)}
        />
      )}
    </>
  );
}

/** What the matrix has no place for. */
function Parts({ environment, document, teams, known, onChange }: RightsProps & { readonly known: readonly string[] }) {
  return (
    <>
      <TeamsPart
        environment={environment}
        document={document}
        teams={teams}
        collections={namedCollections(document, known)}
        known={known}
        onChange={onChange}
      />
      <AddressesPart document={document} onChange={onChange} />
    </>
  );
}

interface Offered {
  readonly roles: readonly string[];
  readonly project: ProjectPeople | undefined;
  readonly renamed: readonly RenamedRole[];
}

/** Who is looked at. Whoever is not there any more gives way to the first role. */
function seenOf(of: string | undefined, { roles, project, renamed }: Offered): Seen {
  const person = project?.people.find(({ id }) => of === `person ${id}`);
  if (person) return { kind: 'person', name: person.name, holder: holderOf(person, renamed) };
  return { kind: 'role', role: roles.find((role) => of === `role ${role}`) ?? roles[0] ?? '' };
}

interface RoleDeedsProps extends RightsProps {
  readonly role: string;
  readonly onChoose: (role: string) => void;
}

/** What can be done with a role as a whole. */
function RoleDeeds({ document, project, renamed, role, onChange, onChoose }: RoleDeedsProps) {
  const { rights: messages } = useMessages();
  const [doing, setDoing] = useState<'rename' | 'remove'>();
  const shared = { document, project, renamed, role, onClose: () => setDoing(undefined) };
  const roles = project?.roles.map(({ name }) => name) ?? Object.keys(document.roles);
  return (
    <>
      <Button onClick={() => setDoing('rename')}>{messages.renameRole}</Button>
      <Button onClick={() => setDoing('remove')}>{messages.removeRolePart}</Button>
      {doing === 'rename' && (
        <RenameRoleDialog
          {...shared}
          onTake={(to) => {
            onChange(withRenamedRole(document, role, to), renamedWith(renamed, { from: role, to }, roles));
            onChoose(to);
            setDoing(undefined);
          }}
        />
      )}
      {doing === 'remove' && (
        <RemoveRoleDialog
          {...shared}
          onTake={() => {
            onChange(
              withoutRole(document, role),
              renamed.filter(({ to }) => to !== role),
            );
            setDoing(undefined);
          }}
        />
      )}
    </>
  );
}

interface SeenAsProps {
  readonly roles: readonly string[];
  readonly project: ProjectPeople | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function SeenAs({ roles, project, value, onChange }: SeenAsProps) {
  const { rights: messages } = useMessages();
  return (
    <label className={styles['seenAs']}>
      {messages.seenAs}
      <select className={look.input} value={value} onChange={({ target }) => onChange(target.value)}>
        <optgroup label={messages.roles}>
          {roles.map((role) => (
            <option key={role} value={`role ${role}`}>
              {role}
            </option>
          ))}
        </optgroup>
        {project && (
          <optgroup label={messages.people}>
            {project.people
              .filter(({ isActive }) => isActive)
              .map(({ id, name, email }) => (
                <option key={id} value={`person ${id}`}>
                  {name} · {email}
                </option>
              ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

function NewRole({ onAdd }: { readonly onAdd: (role: string) => void }) {
  const { rights: messages } = useMessages();
  const [name, setName] = useState('');
  return (
    <form
      className={styles['newRole']}
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(name.trim());
        setName('');
      }}
    >
      <div>
        <Input
          aria-label={messages.newRole}
          placeholder={messages.newRole}
          required
          pattern=".*\S.*"
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <Button type="submit">{messages.addRole}</Button>
    </form>
  );
}
