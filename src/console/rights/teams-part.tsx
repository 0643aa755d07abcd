import { type ReactNode, Suspense, useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import { Button, Input, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { recordChartFrom } from './chart-draft.ts';
import { ChartDialog } from './chart-form.tsx';
import { everyOther } from './rights-draft.ts';
import { ScopeDialog } from './scope-dialog.tsx';
import {
  type Chart,
  chartsIn,
  keyOf,
  type ListedSegment,
  scopeOf,
  segmentsIn,
  withChart,
  withSegment,
  withTeams,
} from './team-draft.ts';

interface TeamsPartProps {
  readonly environment: string;
  readonly document: PermissionFile;
  /** The teams of the project. */
  readonly teams: readonly string[];
  readonly collections: readonly string[];
  /** The collections of the schema that the person sees. */
  readonly known: readonly string[];
  readonly onChange: (document: PermissionFile) => void;
}

/** What teams see: the scopes of collections, and the lists of segments and charts. */
export function TeamsPart(props: TeamsPartProps) {
  const { document, teams, onChange } = props;
  const { rights: messages } = useMessages();
  const named = Object.keys(document.teams ?? {});
  return (
    <section aria-label={messages.teamsSee} className={look.form}>
      <h2>{messages.teamsSee}</h2>
      {document.teams === undefined ? (
        <>
          <p>{messages.noTeams}</p>
          <p className={look.small}>{messages.beginTeamsWhy}</p>
          <div>
            <Button onClick={() => onChange(withTeams(document, teams))}>{messages.beginTeams}</Button>
          </div>
        </>
      ) : (
        <>
          {teams
            .filter((team) => !named.includes(team))
            .map((team) => (
              <Notice key={team} kind="warning" title={messages.teamNotNamed(team)}>
                <Button onClick={() => onChange(withTeams(document, [team]))}>{messages.nameTeam(team)}</Button>
              </Notice>
            ))}
          <Scopes {...props} named={named} />
          <Segments {...props} named={named} />
          <Charts {...props} named={named} />
        </>
      )}
    </section>
  );
}

interface PartProps extends TeamsPartProps {
  /** The teams that the rights name. */
  readonly named: readonly string[];
}

function Scopes({ environment, document, collections, known, named, onChange }: PartProps) {
  const { rights: messages } = useMessages();
  const [opened, setOpened] = useState<{ readonly team: string; readonly collection: string }>();
  return (
    <>
      <Boxes titles={[messages.collection, ...named]}>
        {collections
          .filter((collection) => collection !== everyOther)
          .map((collection) => (
            <tr key={collection}>
              <th scope="row">
                <bdi>{collection}</bdi>
              </th>
              {named.map((team) => {
                const extent = scopeOf(document, { kind: 'team', name: team }, collection) ? 'some' : 'all';
                return (
                  <td key={team}>
                    <button
                      type="button"
                      className={look.open}
                      aria-label={`${messages.scopeOf(team, collection)}: ${messages.seen[extent]}`}
                      onClick={() => setOpened({ team, collection })}
                    >
                      {messages.seen[extent]}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
      </Boxes>
      {opened && (
        <ScopeDialog
          environment={environment}
          document={document}
          holder={{ kind: 'team', name: opened.team }}
          collection={opened.collection}
          isKnown={known.includes(opened.collection)}
          onChange={onChange}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

function Segments({ document, collections, named, onChange }: PartProps) {
  const { rights: messages } = useMessages();
  /** Those that no team has: a box that is cleared stays on the screen. */
  const [without, setWithout] = useState<readonly ListedSegment[]>([]);
  const given = segmentsIn(document);
  const keys = new Set(given.map(segmentKey));
  const listed = [...given, ...without.filter((one) => !keys.has(segmentKey(one)))];
  return (
    <>
      <h3>{messages.segments}</h3>
      <p className={look.small}>{messages.segmentsWhy}</p>
      {listed.length > 0 && (
        <Boxes titles={[messages.collection, messages.query, ...named]}>
          {listed.map((one) => (
            <tr key={segmentKey(one)}>
              <th scope="row">
                <bdi>{one.collection}</bdi>
              </th>
              <td>
                <code>{one.segment.query}</code>
                {one.segment.connection && <div className={look.small}>{one.segment.connection}</div>}
                {one.teams.length === 0 && <div className={look.small}>{messages.ofNoTeam}</div>}
              </td>
              <TeamBoxes
                named={named}
                chosen={one.teams}
                label={(team) => messages.seesSegment(team, one.segment.query)}
                onChange={(team, isGiven) => {
                  setWithout((before) => [...before, { ...one, teams: [] }]);
                  onChange(withSegment(document, one, team, isGiven));
                }}
              />
            </tr>
          ))}
        </Boxes>
      )}
      <NewSegment
        collections={collections.filter((name) => name !== everyOther)}
        onAdd={(added) => setWithout((before) => [...before, added])}
      />
    </>
  );
}

function segmentKey({ collection, segment: { connection, query } }: ListedSegment): string {
  return keyOf([collection, connection, query]);
}

interface NewSegmentProps {
  readonly collections: readonly string[];
  readonly onAdd: (segment: ListedSegment) => void;
}

function NewSegment({ collections, onAdd }: NewSegmentProps) {
  const { rights: messages } = useMessages();
  const [collection, setCollection] = useState(collections[0] ?? '');
  const [query, setQuery] = useState('');
  const [connection, setConnection] = useState('');
  return (
    <form
      className={look.row}
      onSubmit={(event) => {
        event.preventDefault();
        const named = connection.trim() === '' ? {} : { connection: connection.trim() };
        onAdd({ collection, segment: { query: query.trim(), ...named }, teams: [] });
        setQuery('');
      }}
    >
      <select
        className={look.input}
        aria-label={messages.collection}
        value={collection}
        onChange={({ target }) => setCollection(target.value)}
      >
        {collections.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <div className={look.wide}>
        <Input
          aria-label={messages.query}
          placeholder={messages.query}
          required
          pattern=".*\S.*"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      <Input
        aria-label={messages.connection}
        placeholder={messages.connection}
        value={connection}
        onChange={({ target }) => setConnection(target.value)}
      />
      <Button type="submit">{messages.addSegment}</Button>
    </form>
  );
}

function Charts({ environment, document, known, named, onChange }: PartProps) {
  const { rights: messages } = useMessages();
  /** Those that no team has: a box that is cleared stays on the screen. */
  const [first, setFirst] = useState(() => chartsIn(document));
  const [isOpen, setOpen] = useState(false);
  const said = (chart: Chart) => {
    const known = recordChartFrom(chart);
    return known ? messages.chartSaid(known) : JSON.stringify(chart);
  };
  const given = chartsIn(document);
  const keys = new Set(given.map(({ chart }) => keyOf(chart)));
  const listed = [
    ...given,
    ...first.filter(({ chart }) => !keys.has(keyOf(chart))).map(({ chart }) => ({ chart, teams: [] })),
  ];
  return (
    <>
      <h3>{messages.charts}</h3>
      <p className={look.small}>{messages.chartsWhy}</p>
      {listed.length > 0 && (
        <Boxes titles={[messages.chart, ...named]}>
          {listed.map(({ chart, teams }) => (
            <tr key={keyOf(chart)}>
              <th scope="row">
                <bdi>{said(chart)}</bdi>
                {teams.length === 0 && <div className={look.small}>{messages.ofNoTeam}</div>}
              </th>
              <TeamBoxes
                named={named}
                chosen={teams}
                label={(team) => messages.seesChart(team, said(chart))}
                onChange={(team, isGiven) => onChange(withChart(document, chart, team, isGiven))}
              />
            </tr>
          ))}
        </Boxes>
      )}
      <div>
        <Button onClick={() => setOpen(true)}>{messages.addChart}</Button>
      </div>
      {isOpen && (
        <Suspense>
          <ChartDialog
            environment={environment}
            known={known}
            teams={named}
            onTake={(chart, chosen) => {
              setFirst([...first, { chart, teams: chosen }]);
              onChange(chosen.reduce((next, team) => withChart(next, chart, team, true), document));
              setOpen(false);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

interface TeamBoxesProps {
  readonly named: readonly string[];
  readonly chosen: readonly string[];
  readonly label: (team: string) => string;
  readonly onChange: (team: string, isGiven: boolean) => void;
}

function TeamBoxes({ named, chosen, label, onChange }: TeamBoxesProps) {
  return named.map((team) => (
    <td key={team}>
      <input
        type="checkbox"
        aria-label={label(team)}
        checked={chosen.includes(team)}
        onChange={({ target }) => onChange(team, target.checked)}
      />
    </td>
  ));
}

interface BoxesProps {
  readonly titles: readonly string[];
  readonly children: ReactNode;
}

function Boxes({ titles, children }: BoxesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <div className={look.scroll} tabIndex={0}>
      <table className={look.table}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                <bdi>{title}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
