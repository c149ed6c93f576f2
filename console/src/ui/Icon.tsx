// The drawings on buttons: one stroke, one size, no font and no file to fetch.
const paths = {
  chat: "M4 5.5h16v11H9.5L5 20v-3.5H4z",
  ledger: "M5 20V10m5 10V4m5 16v-7m5 7V8",
  skills: "M12 3l2.3 5.4L20 9l-4.3 3.9L17 19l-5-3-5 3 1.3-6.1L4 9l5.7-.6z",
  profile: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7.5 8.5c.8-3.8 3.8-5.8 7.500-5.800s6.700 2 7.500 5.800",
  infra: "M4 5h16v5H4zm0 9h16v5H4zM7.500 7.500h.01M7.500 16.500h.01",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5m-6 6 6-6 6 6",
  stop: "M7 7h10v10H7z",
  image: "M4 5h16v14H4zm0 11 5-5 4 4 3-3 4 4M15.500 9.500h.01",
  close: "M6 6l12 12M18 6 6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  panel: "M4 5h16v14H4zM14 5v14",
  tool: "M14.500 6.500a4 4 0 0 0-5 5L4 17l3 3 5.500-5.500a4 4 0 0 0 5-5L15 12l-3-3z",
  check: "M5 12.500 10 17.500 19 7",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  retry: "M19 12a7 7 0 1 1-2.200-5.100M19 4v4h-4",
  trash: "M5 7h14M10 7V4.500h4V7m-7.500 0 .8 12.500h9.400L17.500 7",
  edit: "M5 19h4L19 9l-4-4L5 15z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0-5v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400",
  moon: "M19 14.500A8 8 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500z",
  auto: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 0v18",
  layers: "M12 4 3.500 8.500 12 13l8.500-4.500zM3.500 12.500 12 17l8.500-4.500M3.500 16.500 12 21l8.500-4.500",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zm0 4V12l3 2",
  copy: "M9 9h10v11H9zM5 15V4h10",
  shield: "M12 3.500 5 6v5.500c0 4.300 2.900 7.500 7 9 4.100-1.500 7-4.700 7-9V6z",
  out: "M14 5h5v14h-5M4 12h10m-4-4 4 4-4 4",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon-drawing" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
