// Where the dashboard's files are; packing has them beside the bundle instead (scripts/packing/bundle.ts).
export const DASHBOARD_FOLDER = new URL('../../../../../apps/dashboard/dist/', import.meta.url);
