import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChangeMcpClient, McpClient } from '#contracts/mcp-clients';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { changeMcpClient } from '../model/access.ts';
import { schemaQuery } from '../model/schema.ts';
import styles from './access.module.css';
import { useAccessTexts } from './access-texts.ts';
import { allTools, type ClientLimits, limitsOf, rightsOf } from './client-limits.ts';

interface ClientLimitsFormProps {
  readonly client: McpClient;
  readonly name: string;
  /** Only an administrator says which client of the rights a program counts as. */
  readonly maySetName: boolean;
  readonly onClose: () => void;
}

/** What a program may do at most for its person. */
export function ClientLimitsForm({ client, name, maySetName, onClose }: ClientLimitsFormProps) {
  const { cancel, save } = useMessages();
  const texts = useAccessTexts();
  const queries = useQueryClient();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const [limits, setLimits] = useState(() => limitsOf(client.rights));
  const [countsAs, setCountsAs] = useState(client.countsAs ?? '');
  const changing = useMutation({
    mutationFn: () => {
      const change: ChangeMcpClient = {
        rights: rightsOf(limits, client.rights),
        ...(maySetName && countsAs !== (client.countsAs ?? '') ? { countsAs: countsAs === '' ? null : countsAs } : {}),
      };
      return changeMcpClient({ environment }, client.id, change);
    },
    onSuccess: () => {
      toast(texts.changed(name));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['MCP clients'] }),
  });
  return (
    <Dialog title={texts.changeLimits} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!changing.isPending) changing.mutate();
        }}
      >
        <p>{texts.limitsWhy}</p>
        <LimitFields limits={limits} onChange={setLimits} />
        {maySetName && (
          <label>
            {texts.countsAs}
            <input
              className={look.input}
              autoComplete="off"
              value={countsAs}
              onChange={({ target }) => setCountsAs(target.value)}
            />
          </label>
        )}
        {changing.error && <Failure error={changing.error} />}
        <Buttons>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" disabled={changing.isPending}>
            {save}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

interface LimitFieldsProps {
  readonly limits: ClientLimits;
  readonly onChange: (limits: ClientLimits) => void;
}

function LimitFields({ limits, onChange }: LimitFieldsProps) {
  const texts = useAccessTexts();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const { data: schema } = useQuery(schemaQuery({ environment }));
  const known = schema?.collections.map(({ name }) => name) ?? [];
  const { collections, tools, isReadOnly } = limits;
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isReadOnly}
          onChange={({ target }) => onChange({ ...limits, isReadOnly: target.checked })}
        />{' '}
        {texts.readOnly}
      </label>
      <Names
        title={texts.collections}
        all={texts.allCollections}
        names={[...new Set([...known, ...(collections ?? [])])]}
        chosen={collections}
        labelOf={(name) => (name === '*' ? texts.everyOther : name)}
        onChange={(chosen) => onChange({ ...limits, collections: chosen })}
      />
      <Names
        title={texts.tools}
        all={texts.allTools}
        names={allTools}
        chosen={tools}
        labelOf={(name) => name}
        onChange={(chosen) =>
          onChange({ ...limits, tools: chosen && allTools.filter((tool) => chosen.includes(tool)) })
        }
      />
      <Bound
        label={texts.recordsPerCall}
        least={1}
        value={limits.recordsPerCall}
        onChange={(recordsPerCall) => onChange({ ...limits, recordsPerCall })}
      />
      <Bound
        label={texts.writesPerHour}
        least={0}
        value={limits.writesPerHour}
        onChange={(writesPerHour) => onChange({ ...limits, writesPerHour })}
      />
    </>
  );
}

interface NamesProps {
  readonly title: string;
  /** Says that nothing is left out. */
  readonly all: string;
  readonly names: readonly string[];
  /** `undefined` for all of them. */
  readonly chosen: readonly string[] | undefined;
  readonly labelOf: (name: string) => string;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

function Names({ title, all, names, chosen, labelOf, onChange }: NamesProps) {
  return (
    <fieldset className={`${look.choices} ${styles['names']}`}>
      <legend>{title}</legend>
      <label>
        <input
          type="checkbox"
          checked={chosen === undefined}
          onChange={({ target }) => onChange(target.checked ? undefined : [])}
        />{' '}
        {all}
      </label>
      {chosen !== undefined &&
        names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            />{' '}
            <bdi>{labelOf(name)}</bdi>
          </label>
        ))}
    </fieldset>
  );
}

interface BoundProps {
  readonly label: string;
  readonly least: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Bound({ label, least, value, onChange }: BoundProps) {
  return (
    <label>
      {label}
      <input
        className={look.input}
        type="number"
        min={least}
        step={1}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
