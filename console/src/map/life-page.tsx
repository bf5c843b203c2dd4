import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { aboutWater } from '../../../src/core/about-water.ts';
import { plantedOn } from '../../../src/core/garden-time.ts';
import { ageInDays, curveDays, curveReader, plantSize } from '../../../src/core/growth.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { useRecords } from '../data/collections.ts';
import { type Crop, cropName, useCrops } from '../data/crops.ts';
import { formatMoment, useFormatTime, useNow, useZone } from '../data/garden-time.ts';
import { membersOf } from '../data/group-criteria.ts';
import { groupBy } from '../data/groups.ts';
import { pastOccurrencesQuery } from '../data/occurrences.ts';
import { percentOf, percentUnit } from '../data/sensor-values.ts';
import { useDevice, useMayWrite } from '../data/singles.ts';
import { actionClass, Button } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { cropPictures } from '../ui/crop-pictures.ts';
import { type Fact, Facts } from '../ui/facts.tsx';
import { Part } from '../ui/failure.tsx';
import { getLanguage } from '../ui/language.ts';
import { measured } from '../ui/numbers.ts';
import { Card, Cards, EmptyState, Page } from '../ui/page.tsx';
import { uiText } from '../ui/text.ts';
import styles from './life.module.css';
import { neighborsOf, progressOf, sowingAt, wateredBy } from './life.ts';
import { lifeText } from './life-text.ts';
import { useGrowthSource } from './map-data.ts';
import { PointForm } from './point-form.tsx';
import { isPlant, type Plant, type Point } from './points.ts';
import { SpotFacts } from './spot-facts.tsx';
import { mapText } from './text.ts';
import { useSchedule, VisitList } from './visit-list.tsx';
import { visitsOf } from './visits.ts';

const lifeRoute = getRouteApi('/garden/plants/$id');
const dayLength = 86_400_000;
/** How far readings may be from a plant that they say something about, in mm. */
const reach = 150;
/** The API looks back at most as far. */
const maxPast = 365 * dayLength;

/** The life of a plant or a weed: what it is, how it grows, what it got, and what stands beside it. The form is one step away. */
export function LifePage() {
  const text = lifeText();
  const { id } = lifeRoute.useParams();
  const points = useRecords('points');
  const point = points.find((each) => String(each.id) === id);
  const mayWrite = useMayWrite();
  const [isEditing, setEditing] = useState(false);
  const crop = useCrops().get(point && isPlant(point) ? point.openfarm_slug : '');
  if (!point)
    return (
      <Page title={mapText().title}>
        <EmptyState title={text.missing} action={<Link to="/map">{text.onMap}</Link>} />
      </Page>
    );
  return (
    <Page
      title={point.name}
      actions={
        <>
          {mayWrite ? (
            <Button aria-expanded={isEditing} onPress={() => setEditing(!isEditing)}>
              {text.edit}
            </Button>
          ) : null}
          <Link to="/map" search={{ point: point.id }} className={actionClass}>
            {text.onMap}
          </Link>
        </>
      }
    >
      {isEditing ? (
        <Card>
          <Part>
            <PointForm points={[point]} />
          </Part>
        </Card>
      ) : null}
      <Cards>
        {isPlant(point) ? <GrowthCard plant={point} crop={crop} /> : <FoundCard point={point} />}
        {isPlant(point) ? (
          <Part>
            <WaterCard plant={point} points={points} />
          </Part>
        ) : null}
        <Card title={text.soil}>
          <Part>
            <SpotFacts spot={point} points={points} />
          </Part>
        </Card>
        {isPlant(point) ? <NeighborsCard plant={point} plants={points.filter(isPlant)} crop={crop} /> : null}
        {crop ? <CropCard crop={crop} /> : null}
        <GroupsCard point={point} points={points} />
      </Cards>
    </Page>
  );
}

/** A picture beside sentences. */
function Picture({ slug, children }: { readonly slug: string; readonly children: ReactNode }) {
  const picture = cropPictures[slug];
  return (
    <div className={styles.glance}>
      {picture ? <img src={picture} alt="" width={96} height={96} /> : null}
      <div>{children}</div>
    </div>
  );
}

/** The days since a time, for people: today is 0. */
const daysSince = (time: string, now: number): number => Math.max(0, (ageInDays(time, now) ?? 1) - 1);

function FoundCard({ point }: { readonly point: Point }) {
  const text = lifeText();
  const stage = 'plant_stage' in point ? choiceLabel('plant_stage', point.plant_stage) : null;
  return (
    <Card>
      <p>{text.found(daysSince(point.created_at, useNow()))}</p>
      {stage ? <p>{stage}</p> : null}
      <p>{mapText().place(Math.round(point.x), Math.round(point.y))}</p>
    </Card>
  );
}

function GrowthCard({ plant, crop }: { readonly plant: Plant; readonly crop: Crop | undefined }) {
  const text = lifeText();
  const zone = useZone();
  const now = useNow();
  const { curves } = useGrowthSource();
  const dateOf = (time: string | number): string =>
    formatMoment(time, zone, { dateStyle: 'long', timeStyle: undefined });
  const curveOf = (id: number | null) => curves.find((each) => each.id === id)?.data;
  const [spread, height] = [curveOf(plant.spread_curve_id), curveOf(plant.height_curve_id)];
  const size = plantSize(
    { radius: plant.radius, planted: plantedOn(plant.planted_at) },
    { spread: spread && curveReader(spread), height: height && curveReader(height), crop },
    now,
  );
  const largest = (curve: typeof spread, full: number | undefined): number | null =>
    curve ? Math.max(...curveDays(curve).days.map(({ value }) => value)) : (full ?? null);
  const progress = progressOf(plant, crop, now);
  const { planted_at, plant_stage } = plant;
  return (
    <Card title={text.growth}>
      <Picture slug={plant.openfarm_slug}>
        {crop ? <p>{cropName(crop)}</p> : null}
        <p className={styles.main}>
          {planted_at === null
            ? mapText().notPlanted
            : Date.parse(planted_at) > now
              ? text.planned(dateOf(planted_at))
              : text.planted(daysSince(planted_at, now), dateOf(planted_at))}
        </p>
        <p>{choiceLabel('plant_stage', plant_stage)}</p>
      </Picture>
      {progress ? (
        <div>
          <progress
            className={styles.progress}
            value={progress.share}
            aria-label={text.harvestAbout(dateOf(progress.from))}
          />
          <p>
            {progress.share === 1 ? text.ripe : text.harvestAbout(dateOf(progress.from))}
            {'. '}
            {progress.share === 1 ? text.harvestUntil(dateOf(progress.to)) : null}
          </p>
        </div>
      ) : null}
      <p>{text.wide(Math.round(size.spread), largest(spread, crop?.spread))}</p>
      {size.height === null ? null : <p>{text.high(Math.round(size.height), largest(height, crop?.height))}</p>}
      <p>{mapText().place(Math.round(plant.x), Math.round(plant.y))}</p>
    </Card>
  );
}

/** Returns the past runs of watering that visited a plant; none until they are known. */
function useWaterings(plant: Plant, points: readonly Point[]) {
  const now = useNow();
  const schedule = useSchedule(points);
  const water = visitsOf([plant], schedule, now).filter(({ name }) => aboutWater.test(name));
  const hour = now - (now % 3_600_000);
  const since = Math.max(hour - maxPast, Date.parse(plant.planted_at ?? plant.created_at));
  const { data = [] } = useQuery({
    ...pastOccurrencesQuery(
      new Date(since - (since % 3_600_000)).toISOString(),
      new Date(hour + 3_600_000).toISOString(),
    ),
    enabled: water.length > 0,
  });
  const { curves } = useGrowthSource();
  const runs = data.filter(({ farm_event_id }) => water.some(({ event }) => event.id === farm_event_id));
  const curve = curves.find(({ id }) => id === plant.water_curve_id)?.data;
  return { isScheduled: water.length > 0, ...wateredBy(runs, plant, curve) };
}

function WaterCard({ plant, points }: { readonly plant: Plant; readonly points: readonly Point[] }) {
  const text = lifeText();
  const formatTime = useFormatTime();
  const { isScheduled, times, milliliters } = useWaterings(plant, points);
  const last = times.at(-1);
  return (
    <Card title={text.water}>
      {last === undefined ? null : (
        <p>{text.watered(times.length, formatTime(last), milliliters === null ? null : milliliters / 1000)}</p>
      )}
      {isScheduled ? null : <p>{text.noWater}</p>}
      <VisitList chosen={[plant]} points={points} />
      <Moisture plant={plant} waterings={times} />
    </Card>
  );
}

/** The readings of moisture near a plant over time, with its waterings. */
function Moisture({ plant, waterings }: { readonly plant: Plant; readonly waterings: readonly number[] }) {
  const text = lifeText();
  const zone = useZone();
  const readings = useRecords('sensor_readings');
  const near = useMemo(() => {
    const all = readings.filter(
      ({ mode, x, y }) => mode === 1 && x !== null && y !== null && Math.hypot(x - plant.x, y - plant.y) <= reach,
    );
    // Of the sensor that was read most often.
    const counts = groupBy(all, ({ pin }) => pin);
    const [most = []] = [...counts.values()].sort((a, b) => b.length - a.length);
    return most.sort((a, b) => (a.read_at < b.read_at ? -1 : 1));
  }, [readings, plant.x, plant.y]);
  const times = useMemo(() => near.map(({ read_at }) => Date.parse(read_at) / 1000), [near]);
  const sensors = useRecords('sensors');
  const [values, unit] = useMemo(() => {
    const sensor = sensors.find(({ pin }) => pin === near[0]?.pin);
    const percent = sensor ? percentOf(sensor) : null;
    return [near.map(({ value }) => (percent ? percent(value) : value)), percent ? percentUnit : ''] as const;
  }, [near, sensors]);
  const marks = useMemo(() => waterings.map((time) => time / 1000), [waterings]);
  const [first, newest] = [times[0], times.at(-1)];
  if (first === undefined || newest === undefined || first === newest) return null;
  return (
    <Chart
      label={text.moistureNear(
        measured(values.at(-1) ?? 0, unit),
        measured(Math.min(...values), unit),
        measured(Math.max(...values), unit),
      )}
      name={text.moisture}
      unit={unit}
      times={times}
      values={values}
      span={[first, newest]}
      zone={zone}
      marks={marks}
    />
  );
}

function NeighborsCard({
  plant,
  plants,
  crop,
}: {
  readonly plant: Plant;
  readonly plants: readonly Plant[];
  readonly crop: Crop | undefined;
}) {
  const text = lifeText();
  const neighbors = neighborsOf(plant, plants, crop);
  return (
    <Card title={text.neighbors}>
      {neighbors.length === 0 ? <p>{text.noNeighbors}</p> : null}
      <ul className={styles.list}>
        {neighbors.map(({ plant: other, kind }) => (
          <li key={other.id} data-kind={kind}>
            <Link to="/plants/$id" params={{ id: String(other.id) }}>
              {other.name}
            </Link>
            {uiText().pair('', text.neighborKinds[kind])}
          </li>
        ))}
      </ul>
      {neighbors.some(({ kind }) => kind !== 'neutral') ? <p className={styles.soft}>{text.neighborSource}</p> : null}
    </Card>
  );
}

/** The groups that a point belongs to. */
function GroupsCard({ point, points }: { readonly point: Point; readonly points: readonly Point[] }) {
  const now = useNow();
  const groups = useRecords('point_groups').filter((group) =>
    membersOf(group, points, now).some(({ id }) => id === point.id),
  );
  if (groups.length === 0) return null;
  return (
    <Card title={lifeText().groups}>
      <ul className={styles.list}>
        {groups.map(({ id, name }) => (
          <li key={id}>
            <Link to="/groups/$id" params={{ id: String(id) }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The name of a month from 0, in the language of the page. */
const monthName = (month: number): string =>
  new Date(Date.UTC(2026, month)).toLocaleDateString(getLanguage(), { month: 'long', timeZone: 'UTC' });

function CropCard({ crop }: { readonly crop: Crop }) {
  const text = lifeText();
  const { lat } = useDevice();
  const sowing = sowingAt(crop, lat);
  const months = sowing
    ?.map(({ first, last, isIndoors }) => text.months(text.monthRange(monthName(first), monthName(last)), isIndoors))
    .join(', ');
  const facts: readonly Fact[] = [
    [text.family, crop.family],
    [text.sun, text.suns[crop.sun]],
    [text.spacing, text.millimeters(crop.plant_spacing, crop.row_spacing)],
    [text.depth, `${crop.sowing_depth} mm`],
    [text.germination, text.days(crop.days_to_germinate.min, crop.days_to_germinate.max)],
    [text.harvest, text.days(crop.days_to_harvest.min, crop.days_to_harvest.max)],
    [text.sowing, months === undefined ? text.noLatitude : months || text.notSown],
    [text.yield, crop.yield && text.grams(crop.yield.min, crop.yield.max, crop.yield.per)],
  ];
  return (
    <Card title={text.crop}>
      <Facts of={facts} />
    </Card>
  );
}
