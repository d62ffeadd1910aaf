"""`ladder explain`: what a pipeline does to a kernel, as pages for a browser."""
