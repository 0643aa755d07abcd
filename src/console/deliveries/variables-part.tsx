import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Me } from '#contracts/identity';
import type { VariableList } from '#contracts/variables';
import { Button, Buttons, Dialog, Failure, look, Table } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { changeVariables, type Deliveries, deliveriesQuery, variablesQuery } from '../model/deliveries.ts';
import { mayDeploy, mayReadLog } from '../model/me.ts';
import { timeText } from '../values/time-text.ts';
import styles from './deliveries.module.css';

const SwapDialog = lazy(async () => ({ default: (await import('./swap-dialog.tsx')).SwapDialog }));

interface VariablesPartProps {
  readonly environment: string;
  readonly person: Me;
}

/** The variables of the environment by their names. Values are written, and nobody reads them. */
export function VariablesPart({ environment, person }: VariablesPartProps) {
  const messages = useMessages();
  const { data: next, error, refetch } = useQuery(variablesQuery(environment));
  const { data: deliveries } = useQuery(deliveriesQuery(environment));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!next || !deliveries) return <p className={look.late}>{messages.loading}</p>;
  return (
    <>
      <Revision environment={environment} person={person} next={next} deliveries={deliveries} />
      <VariableTable environment={environment} next={next} deliveries={deliveries} />
      <SetVariable environment={environment} base={next.revision} />
    </>
  );
}

interface RevisionProps extends VariablesPartProps {
  readonly next: VariableList;
  readonly deliveries: Deliveries;
}

/** The newest revision, who made it, and whether it is deployed. */
function Revision({ environment, person, next: { revision, change }, deliveries: { live } }: RevisionProps) {
  const { deliveries: words, screens } = useMessages();
  const [isDeploying, setDeploying] = useState(false);
  return (
    <div>
      <p>
        {words.revision(revision)}.{' '}
        {change ? <bdi>{words.changedBy(change.author.name, timeText(change.at))}</bdi> : words.neverChanged}{' '}
        {mayReadLog(person) && (
          <Link
            to="/$environment/log/$kind/{-$row}"
            params={{ environment, kind: 'admin', row: undefined }}
            search={{ resource: 'variables' }}
            title={screens.log}
          >
            {words.history}
          </Link>
        )}
      </p>
      {live && live.variablesRevision !== revision && (
        <p className={look.row}>
          {words.notDeployed(revision, live.variablesRevision)}{' '}
          {mayDeploy(person, environment) && <Button onClick={() => setDeploying(true)}>{words.deployAgain}</Button>}
        </p>
      )}
      {isDeploying && live && (
        <Suspense>
          <SwapDialog
            swap={{ kind: 'deploy', environment, version: live.version, deployment: null }}
            person={person}
            onClose={() => setDeploying(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

type VariableTableProps = Pick<RevisionProps, 'environment' | 'next' | 'deliveries'>;

function VariableTable({ environment, next, deliveries: { live } }: VariableTableProps) {
  const { deliveries: words } = useMessages();
  const [removed, setRemoved] = useState<string>();
  const served = useQuery({ ...variablesQuery(environment, live?.variablesRevision), enabled: live !== null }).data;
  const names = [...new Set([...next.names, ...(live && served ? served.names : [])])].sort();
  const yesOrNo = (isSo: boolean | undefined) => (isSo ? words.yes : words.no);
  if (names.length === 0) return null;
  return (
    <>
      <Table titles={[words.name, words.isLive, words.isNext]} hasDeeds>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{yesOrNo(live !== null && served?.names.includes(name))}</td>
            <td>{yesOrNo(next.names.includes(name))}</td>
            <td>
              {next.names.includes(name) && (
                <Button aria-label={words.unsetOf(name)} onClick={() => setRemoved(name)}>
                  {words.unset}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {removed !== undefined && (
        <UnsetDialog
          environment={environment}
          name={removed}
          base={next.revision}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
}

interface UnsetDialogProps {
  readonly environment: string;
  readonly name: string;
  /** The revision that is changed. */
  readonly base: number;
  readonly onClose: () => void;
}

function UnsetDialog({ environment, name, base, onClose }: UnsetDialogProps) {
  const { deliveries: words, cancel } = useMessages();
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => changeVariables(environment, { set: {}, unset: [name], base }),
    onSuccess: () => {
      toast(words.hasUnset(name));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries', environment] }),
  });
  return (
    <Dialog title={words.unsetOf(name)} onClose={onClose}>
      <p>{words.unsetAsk(name, environment)}</p>
      {removing.error && <Failure error={removing.error} />}
      <Buttons>
        <Button onClick={onClose}>{cancel}</Button>
        <Button look="danger" disabled={removing.isPending} onClick={() => removing.mutate()}>
          {words.unset}
        </Button>
      </Buttons>
    </Dialog>
  );
}

/** A value goes to the platform in the body of a request, and stays nowhere else. */
function SetVariable({ environment, base }: Pick<UnsetDialogProps, 'environment' | 'base'>) {
  const { deliveries: words } = useMessages();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const setting = useMutation({
    mutationFn: () => changeVariables(environment, { set: { [name]: value }, unset: [], base }),
    onSuccess: () => {
      toast(words.hasSet(name));
      setName('');
      setValue('');
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries', environment] }),
    gcTime: 0,
  });
  return (
    <form
      className={styles['form']}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (!setting.isPending) setting.mutate();
      }}
    >
      <label>
        {words.name}
        <input
          className={look.input}
          required
          maxLength={128}
          pattern="[A-Za-z_][A-Za-z0-9_]*"
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <label>
        {words.value}
        <textarea
          className={`${look.input} ${styles['secret']}`}
          aria-describedby="value-help"
          maxLength={32_768}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      </label>
      <p id="value-help" className={look.small}>
        {words.valueHelp}
      </p>
      {setting.error && <Failure error={setting.error} />}
      <div>
        <Button look="primary" type="submit" disabled={setting.isPending}>
          {words.set}
        </Button>
      </div>
    </form>
  );
}
