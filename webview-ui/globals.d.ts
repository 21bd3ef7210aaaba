/** Style sheets are bundled beside the page's script. */
declare module "*.css";
