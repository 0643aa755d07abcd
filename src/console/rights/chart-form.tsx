import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useId, useState } from 'react';
import { Dialog, Failure, Input, look } from '../design/controls.tsx';
import { ConditionsEditor } from '../grid/conditions-editor.tsx';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import { collectionQuery, isToMany, type VisibleCollection } from '../model/schema.ts';
import {
  aggregators,
  begunChart,
  type ChartDraft,
  chartFrom,
  chartTypes,
  missingIn,
  recordChartFrom,
  timeRanges,
} from './chart-draft.ts';
import { DraftButtons } from './draft-buttons.tsx';
import type { Chart } from './team-draft.ts';

interface ChartDialogProps {
  readonly environment: string;
  /** The collections of the schema that the person sees. */
  readonly known: readonly string[];
  /** The teams that the rights name. */
  readonly teams: readonly string[];
  /** The chart that is changed, and the teams that see it. */
  readonly begun?: { readonly draft: ChartDraft; readonly teams: readonly string[] };
  /** What the chart changes beside itself. */
  readonly note?: string;
  readonly onTake: (chart: Chart, teams: readonly string[]) => void;
  readonly onClose: () => void;
}

/** A chart over records, as clients ask for it. */
export function ChartDialog({ environment, known, teams, begun, note, onTake, onClose }: ChartDialogProps) {
  const { rights: messages } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  const [draft, setDraft] = useState(() => begun?.draft ?? begunChart(known[0] ?? ''));
  const [chosen, setChosen] = useState(() => begun?.teams ?? (teams.length === 1 ? teams : []));
  const { data: collection, error } = useQuery(collectionQuery({ environment }, draft.collection));
  const chart = chartFrom(draft);
  const missing = missingIn(draft);
  const words = {
    ...{ field: texts.chartField, filter: texts.records, objective: texts.objective, groupBy: texts.groupBy },
    ...{ relation: texts.chartRelation, label: texts.chartLabel, limit: texts.chartLimit },
  };
  /** What it is called without a name. */
  const said = chart && recordChartFrom({ ...chart, name: '' });
  const set = (part: Partial<ChartDraft>) => setDraft({ ...draft, ...part });
  return (
    <Dialog title={begun ? texts.changeChart : texts.newChart} onClose={onClose}>
      {error && <Failure error={error} />}
      <Typed
        label={texts.chartName}
        value={draft.name}
        type="text"
        maxLength={100}
        placeholder={said && messages.chartSaid(said)}
        onType={(name) => set({ name })}
      />
      <Choice
        label={texts.chartType}
        value={draft.type}
        options={chartTypes}
        words={texts.chartTypes}
        onChoose={(type) => set({ type, field: '', groupBy: '' })}
      />
      <Choice
        label={messages.collection}
        value={draft.collection}
        options={known.includes(draft.collection) ? known : [...known, draft.collection]}
        onChoose={(name) => setDraft({ ...begunChart(name), name: draft.name, type: draft.type })}
      />
      {collection && <ChartFields environment={environment} collection={collection} draft={draft} onChange={set} />}
      <fieldset className={look.choices}>
        <legend>{texts.chartTeams}</legend>
        {teams.map((team) => (
          <label key={team}>
            <input
              type="checkbox"
              checked={chosen.includes(team)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, team] : chosen.filter((one) => one !== team))
              }
            />{' '}
            <bdi>{team}</bdi>
          </label>
        ))}
      </fieldset>
      {teams.length > 0 && <p className={look.small}>{texts.laterTeams}</p>}
      {note && <p className={look.small}>{note}</p>}
      {missing.length > 0 && (
        <p className={look.small}>{texts.chartMissing(missing.map((part) => words[part]).join(', '))}</p>
      )}
      {chosen.length === 0 && <p className={look.small}>{teams.length > 0 ? texts.chartNoTeam : texts.noTeam}</p>}
      <DraftButtons
        isReady={chart !== undefined && chosen.length > 0}
        onTake={() => chart && onTake(chart, chosen)}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface ChartFieldsProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly draft: ChartDraft;
  readonly onChange: (part: Partial<ChartDraft>) => void;
}

function ChartFields(props: ChartFieldsProps) {
  const { environment, collection, draft, onChange } = props;
  const { rights: messages } = useMessages();
  const texts = useLaterTexts('rulesTexts');
  const { type } = draft;
  const dates = collection.fields.filter(({ type: of }) => of === 'Date' || of === 'Dateonly');
  const grouped = type === 'Line' ? dates : collection.fields.filter(({ isGroupable }) => isGroupable);
  return (
    <>
      {type === 'Leaderboard' && <Ranked {...props} />}
      <Measure {...props} />
      {(type === 'Pie' || type === 'Line') && (
        <Choice
          label={texts.groupBy}
          value={draft.groupBy}
          options={['', ...namesOf(grouped)]}
          onChoose={(groupBy) => onChange({ groupBy })}
        />
      )}
      {type === 'Line' && (
        <Choice
          label={texts.timeRange}
          value={draft.timeRange}
          options={timeRanges}
          words={texts.timeRanges}
          onChoose={(timeRange) => onChange({ timeRange })}
        />
      )}
      {type === 'Objective' && (
        <Typed label={texts.objective} value={draft.objective} onType={(objective) => onChange({ objective })} />
      )}
      <section aria-label={texts.records} className={look.form}>
        <h3>{texts.records}</h3>
        {draft.kept ? (
          <p className={look.small}>{messages.keptConditions}</p>
        ) : (
          <ConditionsEditor
            environment={environment}
            collection={collection}
            group={draft.filter}
            onChange={(filter) => onChange({ filter })}
          />
        )}
      </section>
    </>
  );
}

/** Which records a leaderboard ranks, and by which others. */
function Ranked({ collection, draft, onChange }: ChartFieldsProps) {
  const texts = useLaterTexts('rulesTexts');
  return (
    <>
      <Choice
        label={texts.chartRelation}
        value={draft.relation}
        options={['', ...namesOf(collection.relations.filter(isToMany))]}
        onChoose={(relation) => onChange({ relation, field: '' })}
      />
      <Choice
        label={texts.chartLabel}
        value={draft.label}
        options={['', ...namesOf(collection.fields)]}
        onChoose={(label) => onChange({ label })}
      />
      <Typed label={texts.chartLimit} value={draft.limit} min={1} max={1000} onType={(limit) => onChange({ limit })} />
    </>
  );
}

/** What is computed of the records; of the related ones for a leaderboard. */
function Measure({ environment, collection, draft, onChange }: ChartFieldsProps) {
  const texts = useLaterTexts('rulesTexts');
  const { type, aggregator, field } = draft;
  const relation = collection.relations.find(({ name }) => name === draft.relation);
  const foreign = useQuery({
    ...collectionQuery({ environment }, relation?.collection ?? ''),
    enabled: type === 'Leaderboard' && relation !== undefined,
  });
  const measured = type === 'Leaderboard' ? (foreign.data?.fields ?? []) : collection.fields;
  const takesAny = aggregator === 'Min' || aggregator === 'Max';
  return (
    <>
      <Choice
        label={texts.aggregator}
        value={aggregator}
        options={aggregators}
        words={texts.aggregators}
        onChoose={(next) => onChange({ aggregator: next, field: '' })}
      />
      {aggregator !== 'Count' && (
        <Choice
          label={texts.chartField}
          value={field}
          options={['', ...namesOf(measured.filter((each) => takesAny || each.type === 'Number'))]}
          onChoose={(next) => onChange({ field: next })}
        />
      )}
    </>
  );
}

function namesOf(parts: readonly { readonly name: string }[]): readonly string[] {
  return parts.map(({ name }) => name);
}

interface ChoiceProps<Option extends string> {
  readonly label: string;
  readonly value: Option;
  readonly options: readonly Option[];
  /** What people read; a name of the project is read as it is. */
  readonly words?: Readonly<Record<Option, string>>;
  readonly onChoose: (option: Option) => void;
}

function Choice<Option extends string>({ label, value, options, words, onChoose }: ChoiceProps<Option>) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={look.input} value={value} onChange={({ target }) => onChoose(target.value as Option)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {words?.[option] ?? option}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TypedProps extends Pick<ComponentProps<'input'>, 'min' | 'max' | 'maxLength' | 'type' | 'placeholder'> {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

function Typed({ label, value, onType, type = 'number', ...bounds }: TypedProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        type={type}
        step="any"
        {...bounds}
        defaultValue={value}
        onChange={({ target }) => onType(target.value)}
      />
    </div>
  );
}
